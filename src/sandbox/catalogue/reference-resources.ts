import { all, boolean, choice, instant, integer, integers, link, links, secret, text } from "./field.ts";
import type { ResourceSpec } from "./resource.ts";

const CUSTOM_FIELD_TYPES = [
  ..."TEXT MULTILINE_TEXT BOOLEAN DATE NUMBER_LONG NUMBER_DOUBLE SELECTION_CATEGORY OBSERVER_CATEGORY".split(" "),
  ..."SELECTION_CATEGORY_MULTI OBSERVER_CATEGORY_MULTI EMAIL EMAIL_DOMAIN PHONE_NUMBER".split(" "),
];

/** Resources that a tenant sets up once: statuses, priorities, tags, service types, material, users, custom fields. */
export const referenceResources: readonly ResourceSpec[] = [
  {
    name: "customerStatus",
    fields: { name: text, selectable: boolean },
    required: ["name", "selectable"],
    stamps: "none",
    list: ["id", "name"],
  },
  {
    name: "priority",
    fields: {
      ...all("name color", text),
      ...all("customerSelectable isDefault", boolean),
      priority: integer,
      sla: integer,
    },
    stamps: "modified",
    list: ["id", "name"],
  },
  {
    name: "tag",
    fields: { ...all("name color", text), deactivated: boolean },
    required: ["name"],
    stamps: "modified",
    list: ["id", "name"],
    refuses: { DELETE: 403 },
  },
  {
    name: "ticketStatus",
    fields: {
      ...all("name color", text),
      behaviour: choice("NORMAL", "CLOSED", "PAUSED"),
      ...all("escalate sendCustomerMail sendOwnerMail syncToApp", boolean),
    },
    required: ["name"],
    stamps: "modified",
    list: ["id", "name"],
  },
  {
    name: "serviceType",
    fields: { ...all("name number", text), deactivated: boolean },
    required: ["name"],
    stamps: "modified",
    list: ["id", "name"],
    refuses: { DELETE: 403 },
  },
  {
    name: "materialItem",
    fields: { ...all("name number", text), ...all("hasSerialNumber deactivated", boolean) },
    required: ["name"],
    stamps: "modified",
    list: ["id", "name"],
    changedSince: true,
    refuses: { DELETE: 405 },
  },
  {
    name: "user",
    fields: {
      ...all("name email username shorthandName mobile telephone externalErpNumber", text),
      password: secret(text),
      ...all("enabled use2FA systemUser withTimeRecord calendarEnabled", boolean),
      permissionGroup: link("permissionGroup"),
      department: link("department"),
      userProfiles: links("userProfile"),
      ...all("skills serviceTypeProfiles", integers),
      confidentialTags: links("confidentialTag"),
      dailyClosingConfig: integer,
      dailyClosingConfigStartDate: instant,
      profileImage: integer,
    },
    required: ["email", "name", "password", "username", "permissionGroup"],
    stamps: "none",
    list: ["id", "name"],
  },
  {
    name: "customField",
    fields: { name: text, parentType: text, type: choice(...CUSTOM_FIELD_TYPES) },
    required: ["name", "parentType", "type"],
    stamps: "none",
    list: ["id", "name"],
    hidden: ["parentType", "type"],
    refuses: { DELETE: 403 },
  },
  {
    name: "timeRecord",
    fields: {
      user: link("user"),
      ...all("startDate endDate", instant),
      enabled: boolean,
      ...all("externalAppName externalId comment", text),
    },
    stamps: "both",
    list: ["id", "user", "startDate", "endDate"],
  },
];
