using { cuid, managed } from '@sap/cds/common';

namespace erp;

/** What the rule in srv/erp.cds hides from readers. */
aspect hideable { secret : Boolean default false; }

entity Customers : cuid, managed, hideable {
  number : String(20);
  name   : String(120);
  active : Boolean default true;
}

entity Contacts : cuid, managed, hideable {
  customer  : Association to Customers;
  firstName : String(60);
  lastName  : String(60);
  email     : String(120);
  phone     : String(40);
}

entity Tickets : cuid, managed, hideable {
  number      : String(20);
  customer    : Association to Customers;
  contact     : Association to Contacts;
  title       : String(120);
  description : String(2000);
  priority    : String(10);
  status      : String(10);
}

entity Orders : cuid, managed, hideable {
  number    : String(20);
  customer  : Association to Customers;
  reference : String(60);
  status    : String(10);
}
