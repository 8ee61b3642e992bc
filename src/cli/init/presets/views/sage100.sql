-- The views that svcsync reads, for Sage 100 on SQL Server, client (Mandant) 1.
--
-- The tables are those that public integrations read; columns differ between versions, so compare each with your database. Not tried
-- on the product. Tickets and service orders depend on the service module in use: take them from "svcsync views mssql", or take
-- the streams out of the sync file.
--
-- No stamp is known that moves with every change of these tables. updated_at is therefore NULL: take "changed" and "overlap" out
-- of the streams, so that svcsync reads the views whole and compares. Tens of thousands of rows are no burden; raise "every" if they are.

-- Customers: the account (KHKKontokorrent, type D) with its address (KHKAdressen)
CREATE OR ALTER VIEW svcsync_customers AS
SELECT
  CAST(k.Kto AS nvarchar(60)) AS customer_no,
  CAST(a.Name1 AS nvarchar(4000)) AS name1,
  CAST(a.Name2 AS nvarchar(4000)) AS name2,
  CAST(a.Matchcode AS nvarchar(4000)) AS short_name,
  CAST(NULL AS nvarchar(4000)) AS email_domain,
  CAST(NULL AS nvarchar(4000)) AS warning,
  CAST(CASE WHEN a.Aktiv = 0 THEN 'I' ELSE 'A' END AS nvarchar(60)) AS status,
  CAST(NULL AS nvarchar(4000)) AS remarks,
  CAST(CASE WHEN a.Aktiv = 0 THEN 1 ELSE 0 END AS int) AS deleted,
  CAST(NULL AS datetime2(3)) AS updated_at
FROM KHKKontokorrent k
JOIN KHKAdressen a ON a.Mandant = k.Mandant AND a.Adresse = k.Adresse
WHERE k.Mandant = 1 AND k.KtoArt = 'D';
GO

-- Contacts: those of the address (KHKAnsprechpartner)
CREATE OR ALTER VIEW svcsync_contacts AS
SELECT
  CAST(k.Kto AS nvarchar(60)) AS customer_no,
  CAST(p.Nummer AS nvarchar(60)) AS contact_no,
  CAST(p.Vorname AS nvarchar(4000)) AS first_name,
  CAST(p.Nachname AS nvarchar(4000)) AS last_name,
  CAST(p.EMail AS nvarchar(4000)) AS email,
  CAST(p.Telefon AS nvarchar(4000)) AS phone,
  CAST(p.Mobilfunk AS nvarchar(4000)) AS mobile,
  CAST(NULL AS nvarchar(60)) AS gender,
  CAST(NULL AS nvarchar(4000)) AS notes,
  CAST(0 AS int) AS deleted,
  CAST(NULL AS datetime2(3)) AS updated_at
FROM KHKAnsprechpartner p
JOIN KHKKontokorrent k ON k.Mandant = p.Mandant AND k.Adresse = p.Adresse AND k.KtoArt = 'D'
WHERE p.Mandant = 1;
GO
