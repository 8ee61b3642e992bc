import { contract, VIEW_PREFIX, type ViewColumnKind, type ContractView, type ViewColumn } from "./contract.ts";

/** The databases that views can be written for, by the words of an address. */
export const viewDialects = ["postgres", "mysql", "mssql", "sqlite"] as const;

export type ViewDialect = (typeof viewDialects)[number];

interface Words {
  readonly title: string;
  readonly types: Readonly<Record<ViewColumnKind, string>>;
  readonly create: string;
  /** Follows the columns, because some databases take a condition only after a table. */
  readonly from: string;
  readonly end: string;
}

const words: Readonly<Record<ViewDialect, Words>> = {
  postgres: {
    title: "PostgreSQL",
    types: { code: "varchar(60)", text: "text", flag: "integer", stamp: "timestamptz", moment: "timestamp" },
    create: "CREATE OR REPLACE VIEW",
    from: "",
    end: ";",
  },
  mysql: {
    title: "MariaDB and MySQL",
    types: { code: "char(60)", text: "char(4000)", flag: "signed", stamp: "datetime(6)", moment: "datetime" },
    create: "CREATE OR REPLACE VIEW",
    from: " FROM dual",
    end: ";",
  },
  mssql: {
    title: "SQL Server (2016 SP1 or later)",
    types: { code: "nvarchar(60)", text: "nvarchar(4000)", flag: "int", stamp: "datetime2(3)", moment: "datetime2(0)" },
    create: "CREATE OR ALTER VIEW",
    from: "",
    end: ";\nGO",
  },
  sqlite: {
    title: "SQLite",
    types: { code: "text", text: "text", flag: "integer", stamp: "text", moment: "text" },
    create: "CREATE VIEW",
    from: "",
    end: ";",
  },
};

const schemes: Readonly<Record<string, ViewDialect>> = { postgresql: "postgres", mariadb: "mysql", sqlserver: "mssql" };

/** The database of an address such as `mssql://…`; undefined for an address of something else. */
export function viewDialectOf(url: string): ViewDialect | undefined {
  const scheme = url.slice(0, Math.max(url.indexOf(":"), 0)).toLowerCase();
  return viewDialects.find((dialect) => dialect === (schemes[scheme] ?? scheme));
}

/**
 * The statements that create the views of the contract in this database. They run as they are and create views without rows, so that each
 * can be filled on its own.
 */
export function viewStatements(dialect: ViewDialect): string {
  return [head(words[dialect].title), ...contract.map((view) => statement(view, words[dialect])), grants()].join("\n");
}

function head(title: string): string {
  return `-- The views that svcsync reads, for ${title}.
--
-- Replace each NULL by the ERP's own column and WHERE 1 = 0 by its tables. Keep names, types and the CASTs. What the ERP does
-- not have stays NULL where the comment allows that. A view that you do not need can be left out together with its stream.
--
-- What every view promises:
-- 1. One row per record. The columns of the KEY are never NULL, identify one row, and keep their value for good.
-- 2. updated_at gets a later value with every change of the row, whichever of the joined tables has changed: use the latest of
--    their stamps. It is the database's own time. If no table has a stamp, leave the column NULL and take "changed" and
--    "overlap" out of the stream: svcsync then reads the view whole at every poll and compares.
-- 3. A deleted or blocked record stays in the view with deleted = 1, and updated_at moves when that is set.
-- 4. Columns may be added. Names, types and meaning of these do not change without notice.
--
-- "svcsync check" compares the views with this, and "svcsync check --edits" tries promises 2 and 3 with a person.
`;
}

function statement({ name, title, columns }: ContractView, { types, create, from, end }: Words): string {
  const lines = columns.map((column, at) => line(column, types, at === columns.length - 1));
  return `-- ${title}\n${create} ${name} AS\nSELECT\n${lines.join("\n")}\n${from.trimStart()}${from && "\n"}WHERE 1 = 0${end}\n`;
}

function line({ name, kind, isFilled, about }: ViewColumn, types: Words["types"], isLast: boolean): string {
  const cast = `CAST(NULL AS ${types[kind]}) AS ${name}${isLast ? "" : ","}`;
  return `  ${cast.padEnd(52)} -- ${about}${isFilled ? "" : " (may be NULL)"}`;
}

function grants(): string {
  const lines = contract.map(({ name }) => `-- GRANT SELECT ON ${name} TO svcsync;`);
  return `-- The user of svcsync reads these views and nothing else. It may be called otherwise; ${VIEW_PREFIX}… are the views.\n${lines.join("\n")}\n`;
}
