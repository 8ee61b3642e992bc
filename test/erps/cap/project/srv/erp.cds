using erp from '../db/schema';

@path: '/odata/v4/erp'
service ErpService {
  entity Customers as projection on erp.Customers;
  entity Contacts as projection on erp.Contacts;
  entity Tickets as projection on erp.Tickets;
  entity Orders as projection on erp.Orders;
}

annotate ErpService.Customers with @restrict: [{ grant: 'READ', to: 'reader', where: 'secret = false' }, { grant: '*', to: 'clerk' }];
annotate ErpService.Contacts with @restrict: [{ grant: 'READ', to: 'reader', where: 'secret = false' }, { grant: '*', to: 'clerk' }];
annotate ErpService.Tickets with @restrict: [{ grant: 'READ', to: 'reader', where: 'secret = false' }, { grant: '*', to: 'clerk' }];
annotate ErpService.Orders with @restrict: [{ grant: 'READ', to: 'reader', where: 'secret = false' }, { grant: '*', to: 'clerk' }];
