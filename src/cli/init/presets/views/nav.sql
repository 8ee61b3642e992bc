-- The views that svcsync reads, for Dynamics NAV or Business Central in your own SQL Server, company "My Company".
--
-- The names are those that NAV gives its tables; later versions add the number of the application to them. Compare each with your
-- database. Not tried on the product. A direct read of these tables blocks a later move to the cloud, where only the API is left.
--
-- Every table of NAV has a row version that is exact and needs no clock. The views show it as row_version, and the streams read it
-- instead of a stamp: changed: { counter: row_version, kind: rowversion }. Take "overlap" out. updated_at is then not used.

-- Customers
CREATE OR ALTER VIEW svcsync_customers AS
SELECT
  CAST(c.[No_] AS nvarchar(60)) AS customer_no,
  CAST(c.[Name] AS nvarchar(4000)) AS name1,
  CAST(c.[Name 2] AS nvarchar(4000)) AS name2,
  CAST(c.[Search Name] AS nvarchar(4000)) AS short_name,
  CAST(NULL AS nvarchar(4000)) AS email_domain,
  CAST(NULL AS nvarchar(4000)) AS warning,
  CAST(CASE WHEN c.[Blocked] = 3 THEN 'I' ELSE 'A' END AS nvarchar(60)) AS status,
  CAST(NULL AS nvarchar(4000)) AS remarks,
  -- Blocked: 0 no, 1 deliveries, 2 invoices, 3 everything.
  CAST(CASE WHEN c.[Blocked] = 3 THEN 1 ELSE 0 END AS int) AS deleted,
  CAST(c.[Last Date Modified] AS datetime2(3)) AS updated_at,
  c.[timestamp] AS row_version
FROM [My Company$Customer] c;
GO

-- Contacts: persons of the contact that belongs to a customer. A change of the relation itself does not move the row version.
CREATE OR ALTER VIEW svcsync_contacts AS
SELECT
  CAST(r.[No_] AS nvarchar(60)) AS customer_no,
  CAST(p.[No_] AS nvarchar(60)) AS contact_no,
  CAST(p.[First Name] AS nvarchar(4000)) AS first_name,
  CAST(p.[Surname] AS nvarchar(4000)) AS last_name,
  CAST(p.[E-Mail] AS nvarchar(4000)) AS email,
  CAST(p.[Phone No_] AS nvarchar(4000)) AS phone,
  CAST(p.[Mobile Phone No_] AS nvarchar(4000)) AS mobile,
  CAST(NULL AS nvarchar(60)) AS gender,
  CAST(NULL AS nvarchar(4000)) AS notes,
  CAST(0 AS int) AS deleted,
  CAST(p.[Last Date Modified] AS datetime2(3)) AS updated_at,
  p.[timestamp] AS row_version
FROM [My Company$Contact] p
JOIN [My Company$Contact Business Relation] r ON r.[Contact No_] = p.[Company No_] AND r.[Link to Table] = 1
WHERE p.[Type] = 1;
GO

-- Service orders (document type 1). Take the stream of tickets out of the sync file, or write its view.
CREATE OR ALTER VIEW svcsync_service_orders AS
SELECT
  CAST(o.[No_] AS nvarchar(60)) AS order_no,
  CAST(o.[Customer No_] AS nvarchar(60)) AS customer_no,
  CAST(NULL AS nvarchar(60)) AS ticket_no,
  CAST(o.[Your Reference] AS nvarchar(4000)) AS reference,
  CAST(1 AS int) AS billable,
  CAST(0 AS int) AS deleted,
  CAST(o.[Order Date] AS datetime2(3)) AS updated_at,
  o.[timestamp] AS row_version
FROM [My Company$Service Header] o
WHERE o.[Document Type] = 1;
GO
