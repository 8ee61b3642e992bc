import { z } from "zod";
import { timeLimit } from "#model";
import { timezone } from "../time/timezone.ts";
import { urlProblem } from "./url.ts";

const urlSchemes = /^(sqlite|file|postgres|postgresql|mysql|mariadb|mssql|sqlserver):/i;

const tls = z
  .strictObject({
    mode: z
      .enum(["off", "verify", "trust"])
      .default("verify")
      .describe("off: plain text. verify: encrypted, certificate checked. trust: encrypted, any certificate accepted."),
    caFile: z.string().optional().describe("PEM file with the authority that signed the server's certificate."),
    certFile: z.string().optional().describe("PEM file with the certificate that the server asks of its clients."),
    keyFile: z.string().optional().describe("PEM file with the key of `certFile`."),
    serverName: z.string().optional().describe("The name in the server's certificate, where it is not the host's."),
  })
  .describe("Encryption of the connection. Without it the connection is plain text, except to SQL Server.");

/** A database's settings in the sync file, beside `adapter: sql`. */
export const settings = z
  .strictObject({
    url: z
      .string()
      .regex(urlSchemes, "a database is named by sqlite:, postgres://, mysql://, mariadb:// or mssql://")
      .superRefine((text, context) => {
        const message = urlProblem(text);
        if (message !== undefined) context.addIssue({ code: "custom", message });
      })
      .describe(
        "sqlite:/path/to/file, postgres://user:password@host/db, mysql://…, mariadb://… or mssql://user:password@host/db.",
      ),
    timezone: timezone
      .optional()
      .describe(
        "The zone of stamps and date-times that carry none, e.g. Europe/Berlin. Without it they are read as UTC.",
      ),
    statementTimeout: timeLimit.default(120_000).describe("A statement that takes longer is ended. Default 2m."),
    connectTimeout: timeLimit.default(15_000).describe("A connection must be made within this time. Default 15s."),
    connections: z.int().min(1).max(16).default(2).describe("Connections held at most, by all streams of this source."),
    listen: z
      .string()
      .regex(/^[^\0]{1,63}$/, "the name of a channel has 1 to 63 characters")
      .optional()
      .describe(
        "PostgreSQL alone: a channel of NOTIFY. Each notification polls the stream that it names, or all streams of this source.",
      ),
    tls: tls.optional(),
  })
  .refine(({ url, listen }) => listen === undefined || /^postgres(ql)?:/i.test(url), {
    path: ["listen"],
    message: "only PostgreSQL has channels: a url of postgres://, or no `listen`",
  });

export type SqlSettings = z.output<typeof settings>;
export type TlsSettings = z.output<typeof tls>;
