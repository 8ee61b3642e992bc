import type { JsonObject, ResourceName } from "#model";
import type { Account } from "../account.ts";

/** Names of tags that the sample ERP uses too. */
export const TAG_NAMES = [
  "Garantie",
  "Wartung",
  "Notdienst",
  "Ersatzteil",
  "Rückfrage",
  "VIP",
  "Montage",
  "Prüfung §14",
];

const COLOURS = ["#1b7f5c", "#2f6fb0", "#b3403a", "#b7791f", "#6b46c1", "#2d3748", "#0f766e", "#9d174d"];

const named = (...names: string[]): JsonObject[] => names.map((name) => ({ name }));

/** A set of reference records. Earlier sets exist when later ones link to them by name. */
export type ReferenceSet = readonly [resource: ResourceName, rows: readonly JsonObject[]];

/** What a service company's tenant has set up before there is any customer. */
export function referenceSets(accounts: readonly Account[]): readonly ReferenceSet[] {
  return [
    ["companyData", named("Alpenland Haustechnik GmbH")],
    [
      "customerStatus",
      [
        { name: "Active", selectable: true },
        { name: "Inactive", selectable: false },
        { name: "Prospect", selectable: true },
      ],
    ],
    [
      "priority",
      [
        { name: "Low", color: "#2f6fb0", customerSelectable: true, isDefault: false, priority: 20, sla: 432_000_000 },
        { name: "Normal", color: "#1b7f5c", customerSelectable: true, isDefault: true, priority: 50, sla: 172_800_000 },
        { name: "High", color: "#b3403a", customerSelectable: false, isDefault: false, priority: 90, sla: 14_400_000 },
      ],
    ],
    [
      "ticketStatus",
      [
        { name: "Open", behaviour: "NORMAL", color: "#2f6fb0" },
        { name: "In Progress", behaviour: "NORMAL", color: "#b7791f" },
        { name: "Waiting", behaviour: "PAUSED", color: "#6b46c1" },
        { name: "Closed", behaviour: "CLOSED", color: "#2d3748" },
      ],
    ],
    ["tag", TAG_NAMES.map((name, at) => ({ name, color: COLOURS[at % COLOURS.length]!, deactivated: false }))],
    [
      "serviceType",
      [
        { name: "Wartung", number: "L-100", deactivated: false },
        { name: "Reparatur", number: "L-200", deactivated: false },
        { name: "Montage", number: "L-300", deactivated: false },
        { name: "Anfahrt pauschal", number: "L-900", deactivated: false },
      ],
    ],
    [
      "materialItem",
      [
        { name: "Umwälzpumpe 25-60", number: "M-1001", hasSerialNumber: true, deactivated: false },
        { name: "Dichtungssatz", number: "M-1002", hasSerialNumber: false, deactivated: false },
        { name: 'Kugelhahn 1/2"', number: "M-1003", hasSerialNumber: false, deactivated: false },
      ],
    ],
    ["traveType", named("Pkw", "Transporter", "Fernwartung")],
    ["ticketCategory", named("Störung", "Wartung", "Anfrage")],
    ["department", named("Innendienst", "Technik")],
    ["confidentialTag", named("Intern")],
    ["customerProfile", named("Gewerbe", "Privat")],
    ["object", named("Heizkessel", "Wärmepumpe", "Lüftungsanlage")],
    ["permissionGroup", named("Administration", "Technik", "Schnittstelle")],
    ["queue", named("Disposition")],
    ["user", [...accounts.map(accountUser), ...TECHNICIANS]],
  ];
}

const TECHNICIANS: readonly JsonObject[] = [
  { name: "Jürgen Müllner", email: "j.muellner@example.com", username: "jm", enabled: true, externalErpNumber: "7001" },
  { name: "Sabine Öttl", email: "s.oettl@example.com", username: "so", enabled: true, externalErpNumber: "7002" },
];

function accountUser({ username, code }: Account): JsonObject {
  return { name: username, email: `${username}@example.com`, username, enabled: true, use2FA: code !== undefined };
}
