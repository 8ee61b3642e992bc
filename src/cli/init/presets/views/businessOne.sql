-- The views that svcsync reads, for SAP Business One on SQL Server, where the Service Layer cannot be used.
--
-- Prefer the Service Layer ("svcsync init --erp businessOne"): SAP does not support every direct read of its tables. The names are
-- those of SAP's published tables; compare each with your version. Not tried on the product.
--
-- There is no view of service orders: take the stream "orders" out of the sync file, or write its view.
--
-- UpdateDate holds the day and UpdateTS the time as a number, 93015 for 09:30:15.

-- Customers (OCRD, card type C)
CREATE OR ALTER VIEW svcsync_customers AS
SELECT
  CAST(c.CardCode AS nvarchar(60)) AS customer_no,
  CAST(c.CardName AS nvarchar(4000)) AS name1,
  CAST(c.CardFName AS nvarchar(4000)) AS name2,
  CAST(NULL AS nvarchar(4000)) AS short_name,
  CAST(NULL AS nvarchar(4000)) AS email_domain,
  CAST(NULL AS nvarchar(4000)) AS warning,
  CAST(CASE WHEN c.frozenFor = 'Y' THEN 'I' ELSE 'A' END AS nvarchar(60)) AS status,
  CAST(c.Notes AS nvarchar(4000)) AS remarks,
  CAST(CASE WHEN c.frozenFor = 'Y' THEN 1 ELSE 0 END AS int) AS deleted,
  CAST(DATEADD(second, c.UpdateTS / 10000 * 3600 + c.UpdateTS / 100 % 100 * 60 + c.UpdateTS % 100, c.UpdateDate) AS datetime2(3))
    AS updated_at
FROM OCRD c
WHERE c.CardType = 'C';
GO

-- Contacts (OCPR). Business One writes them with their customer, whose stamp therefore counts.
CREATE OR ALTER VIEW svcsync_contacts AS
SELECT
  CAST(p.CardCode AS nvarchar(60)) AS customer_no,
  CAST(p.CntctCode AS nvarchar(60)) AS contact_no,
  CAST(p.FirstName AS nvarchar(4000)) AS first_name,
  CAST(COALESCE(p.LastName, p.Name) AS nvarchar(4000)) AS last_name,
  CAST(p.E_MailL AS nvarchar(4000)) AS email,
  CAST(p.Tel1 AS nvarchar(4000)) AS phone,
  CAST(p.Cellolar AS nvarchar(4000)) AS mobile,
  CAST(CASE p.Gender WHEN 'M' THEN 'm' WHEN 'F' THEN 'f' END AS nvarchar(60)) AS gender,
  CAST(NULL AS nvarchar(4000)) AS notes,
  CAST(CASE WHEN p.Active = 'N' THEN 1 ELSE 0 END AS int) AS deleted,
  CAST(DATEADD(second, c.UpdateTS / 10000 * 3600 + c.UpdateTS / 100 % 100 * 60 + c.UpdateTS % 100, c.UpdateDate) AS datetime2(3))
    AS updated_at
FROM OCPR p
JOIN OCRD c ON c.CardCode = p.CardCode AND c.CardType = 'C';
GO

-- Tickets: service calls (OSCL). Their stamp has no seconds, so keep the overlap of the stream.
CREATE OR ALTER VIEW svcsync_tickets AS
SELECT
  CAST(s.callID AS nvarchar(60)) AS ticket_no,
  CAST(s.customer AS nvarchar(60)) AS customer_no,
  CAST(s.contctCode AS nvarchar(60)) AS contact_no,
  CAST(s.subject AS nvarchar(4000)) AS subject,
  CAST(s.descrption AS nvarchar(4000)) AS body,
  CAST(CASE s.priority WHEN 'H' THEN 'high' WHEN 'L' THEN 'low' ELSE 'normal' END AS nvarchar(60)) AS priority,
  CAST(CASE s.status WHEN -1 THEN 'closed' WHEN -2 THEN 'waiting' ELSE 'open' END AS nvarchar(60)) AS status,
  CAST(NULL AS nvarchar(4000)) AS tags,
  CAST(NULL AS datetime2(0)) AS due_date,
  CAST(0 AS int) AS deleted,
  CAST(DATEADD(minute, s.updateTime / 100 * 60 + s.updateTime % 100, s.updateDate) AS datetime2(3)) AS updated_at
FROM OSCL s;
GO
