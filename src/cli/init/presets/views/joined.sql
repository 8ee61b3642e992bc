-- The views that svcsync reads, for an ERP in PostgreSQL whose records are spread over several tables: an example of joins.
--
-- The tables here are invented: partner, address, person, service_call, work_order. What matters is how their stamps come together.
-- "svcsync views postgres" prints the views without an ERP behind them, and what they promise.

-- Customers: a change of the address is a change of the customer, so the later of both stamps counts.
CREATE OR REPLACE VIEW svcsync_customers AS
SELECT
  CAST(p.number AS varchar(60)) AS customer_no,
  CAST(p.name AS text) AS name1,
  CAST(a.name_addition AS text) AS name2,
  CAST(p.search_name AS text) AS short_name,
  CAST('@' || nullif(split_part(a.email, '@', 2), '') AS text) AS email_domain,
  CAST(CASE WHEN p.credit_stop THEN 'Credit stop. Ask first' END AS text) AS warning,
  CAST(CASE WHEN p.blocked THEN 'I' WHEN p.first_order IS NULL THEN 'P' ELSE 'A' END AS varchar(60)) AS status,
  CAST(p.remarks AS text) AS remarks,
  CAST(p.blocked AS integer) AS deleted,
  CAST(greatest(p.changed_at, a.changed_at) AS timestamptz) AS updated_at
FROM partner p
LEFT JOIN address a ON a.partner = p.number AND a.is_main
WHERE p.is_customer;

-- Contacts: a person who moves to another customer gets a new number there, so the key never changes.
CREATE OR REPLACE VIEW svcsync_contacts AS
SELECT
  CAST(c.partner AS varchar(60)) AS customer_no,
  CAST(c.number AS varchar(60)) AS contact_no,
  CAST(c.first_name AS text) AS first_name,
  CAST(c.last_name AS text) AS last_name,
  CAST(c.email AS text) AS email,
  CAST(c.phone AS text) AS phone,
  CAST(c.mobile AS text) AS mobile,
  CAST(CASE c.salutation WHEN 'Frau' THEN 'f' WHEN 'Herr' THEN 'm' END AS varchar(60)) AS gender,
  CAST(NULL AS text) AS notes,
  CAST(c.left_company AS integer) AS deleted,
  CAST(c.changed_at AS timestamptz) AS updated_at
FROM person c
JOIN partner p ON p.number = c.partner AND p.is_customer;

-- Tickets
CREATE OR REPLACE VIEW svcsync_tickets AS
SELECT
  CAST(s.number AS varchar(60)) AS ticket_no,
  CAST(s.partner AS varchar(60)) AS customer_no,
  CAST(s.person AS varchar(60)) AS contact_no,
  CAST(s.subject AS text) AS subject,
  CAST(s.description AS text) AS body,
  CAST(CASE WHEN s.urgency >= 8 THEN 'high' WHEN s.urgency >= 3 THEN 'normal' ELSE 'low' END AS varchar(60)) AS priority,
  CAST(CASE s.state WHEN 'done' THEN 'closed' WHEN 'customer' THEN 'waiting' ELSE 'open' END AS varchar(60)) AS status,
  CAST(s.keywords AS text) AS tags,
  CAST(s.due AS timestamp) AS due_date,
  CAST(s.cancelled AS integer) AS deleted,
  CAST(s.changed_at AS timestamptz) AS updated_at
FROM service_call s;

-- Service orders: a change of a line is a change of the order. A line that is removed has to move the order's own stamp.
CREATE OR REPLACE VIEW svcsync_service_orders AS
SELECT
  CAST(o.number AS varchar(60)) AS order_no,
  CAST(o.partner AS varchar(60)) AS customer_no,
  CAST(o.service_call AS varchar(60)) AS ticket_no,
  CAST(o.customer_reference AS text) AS reference,
  CAST(CASE WHEN o.warranty THEN 0 ELSE 1 END AS integer) AS billable,
  CAST(o.cancelled AS integer) AS deleted,
  CAST(greatest(o.changed_at, (SELECT max(l.changed_at) FROM work_order_line l WHERE l.work_order = o.number)) AS timestamptz)
    AS updated_at
FROM work_order o;
