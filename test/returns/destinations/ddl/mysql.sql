-- The inbox through which svcsync hands over what the service knows, for MariaDB and MySQL.
--
-- The columns that the sync file names are texts here. Give them the types that the ERP wants (a date, a decimal, a longer text): svcsync writes
-- a value exactly, or says which column it does not fit. More columns are fine if they may be NULL or have a default.

create database if not exists `svcsync`;

create table `svcsync`.`returns` (
  return_id varchar(120) character set utf8mb4 collate utf8mb4_bin not null,
  stream varchar(40) character set utf8mb4 collate utf8mb4_bin not null,
  service_id bigint not null,
  version int not null,
  kind varchar(12) character set utf8mb4 not null,
  replaces varchar(120) character set utf8mb4 collate utf8mb4_bin null,
  line_count int not null,
  content_hash varchar(64) character set utf8mb4 not null,
  payload longtext character set utf8mb4 null,
  `order_no` varchar(500) character set utf8mb4 null,
  `finished_at` varchar(500) character set utf8mb4 null,
  `ticket_no` varchar(500) character set utf8mb4 null,
  written_at timestamp(3) not null default current_timestamp(3),
  primary key (return_id),
  unique (stream, service_id, version)
);

create table `svcsync`.`states` (
  return_id varchar(255) character set utf8mb4 collate utf8mb4_bin not null,
  stream varchar(40) character set utf8mb4 collate utf8mb4_bin not null,
  record_key varchar(190) character set utf8mb4 collate utf8mb4_bin not null,
  service_id bigint null,
  version int not null,
  kind varchar(12) character set utf8mb4 not null,
  replaces varchar(255) character set utf8mb4 collate utf8mb4_bin null,
  content_hash varchar(64) character set utf8mb4 not null,
  payload longtext character set utf8mb4 null,
  `state` varchar(500) character set utf8mb4 null,
  `reason` varchar(500) character set utf8mb4 null,
  written_at timestamp(3) not null default current_timestamp(3),
  primary key (return_id),
  unique (stream, record_key, version)
);

create table `svcsync`.`return_lines` (
  return_id varchar(120) character set utf8mb4 collate utf8mb4_bin not null,
  line_no int not null,
  line_kind varchar(12) character set utf8mb4 not null,
  line_id bigint not null,
  `change` varchar(8) character set utf8mb4 not null,
  amount decimal(18, 4) null,
  amount_before decimal(18, 4) null,
  `article` varchar(500) character set utf8mb4 null,
  `text` varchar(500) character set utf8mb4 null,
  primary key (return_id, line_no)
);

-- The ERP's answers. svcsync only reads them.

create table `svcsync`.`answers` (
  return_id varchar(120) character set utf8mb4 collate utf8mb4_bin not null,
  result varchar(8) character set utf8mb4 not null,
  document varchar(60) character set utf8mb4 null,
  message varchar(2000) character set utf8mb4 null,
  answered_at timestamp(3) not null,
  primary key (return_id)
);

-- What the ERP has not answered. Its job reads this, never "what came after my last": a late commit would be missed.
create view `svcsync`.`open` as
  select r.* from `svcsync`.`returns` r left join `svcsync`.`answers` a on a.return_id = r.return_id
  where a.return_id is null and r.stream in ('reports');

-- The newest state of each record.
create view `svcsync`.`states_newest` as
  select s.* from `svcsync`.`states` s where s.version =
    (select max(n.version) from `svcsync`.`states` n where n.stream = s.stream and n.record_key = s.record_key);

-- The rights of svcsync's user. It never changes or deletes a row.

grant insert, select on `svcsync`.`returns` to 'svcsync'@'%';

grant insert, select on `svcsync`.`states` to 'svcsync'@'%';

grant insert, select on `svcsync`.`return_lines` to 'svcsync'@'%';

grant select on `svcsync`.`answers` to 'svcsync'@'%';

-- The user of the ERP's job, unless it owns these tables, needs: the use of their schema, SELECT on all of them and on the view, and INSERT on the
-- answers. Where several jobs lock rows (FOR UPDATE), also UPDATE on the heads.

-- A sample of the ERP's job. It takes one return after the other, each in one transaction with the ERP's own booking:
--
-- select * from `svcsync`.`open` order by stream, service_id, version limit 1;
-- select * from `svcsync`.`return_lines` where return_id = :id order by line_no;
-- Book it. kind = 'fact': new. 'correction': replaces the return in the column replaces; change in each line tells added, changed, removed or same. 'cancelled': reverse it.
-- insert into `svcsync`.`answers` (return_id, result, document, message, answered_at)
--   values (:id, 'ok', 'RE-10023', null, current_timestamp(3));
-- Or, with the reason that svcsync's users see: values (:id, 'refused', null, 'unknown article 4711', …)
-- commit;
--
-- Run only one such job at a time. Never read rows that are not committed (NOLOCK). Keep answered rows for some weeks before you delete them,
-- a head together with its lines: after a cut connection svcsync looks whether a return is there.

