import { several, boolean, choiceOf, timestamp, integer, integers, link, links, hidden, text } from "./field.ts";
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
      ...several("name color", text),
      ...several("customerSelectable isDefault", boolean),
      priority: integer,
      sla: integer,
    },
    stamps: "modified",
    list: ["id", "name"],
  },
  {
    name: "tag",
    fields: { ...several("name color", text), deactivated: boolean },
    required: ["name"],
    stamps: "modified",
    list: ["id", "name"],
    refuses: { DELETE: 403 },
  },
  {
    name: "ticketStatus",
    fields: {
      ...several("name color", text),
      behaviour: choiceOf("NORMAL", "CLOSED", "PAUSED"),
      ...several("escalate sendCustomerMail sendOwnerMail syncToApp", boolean),
    },
    required: ["name"],
    stamps: "modified",
    list: ["id", "name"],
  },
  {
    name: "serviceType",
    fields: { ...several("name number", text), deactivated: boolean },
    required: ["name"],
    stamps: "modified",
    list: ["id", "name"],
    refuses: { DELETE: 403 },
  },
  {
    name: "materialItem",
    fields: { ...several("name number", text), ...several("hasSerialNumber deactivated", boolean) },
    required: ["name"],
    stamps: "modified",
    list: ["id", "name"],
    changedSince: true,
    refuses: { DELETE: 405 },
  },
  {
    name: "user",
    fields: {
      ...several("name email username shorthandName mobile telephone externalErpNumber", text),
      password: hidden(text),
      ...several("enabled use2FA systemUser withTimeRecord calendarEnabled", boolean),
      permissionGroup: link("permissionGroup"),
      department: link("department"),
      userProfiles: links("userProfile"),
      ...several("skills serviceTypeProfiles", integers),
      confidentialTags: links("confidentialTag"),
      dailyClosingConfig: integer,
      dailyClosingConfigStartDate: timestamp,
      profileImage: integer,
    },
    required: ["email", "name", "password", "username", "permissionGroup"],
    stamps: "none",
    list: ["id", "name"],
  },
  {
    name: "customField",
    fields: { name: text, parentType: text, type: choiceOf(...CUSTOM_FIELD_TYPES) },
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
      ...several("startDate endDate", timestamp),
      enabled: boolean,
      ...several("externalAppName externalId comment", text),
    },
    stamps: "both",
    list: ["id", "user", "startDate", "endDate"],
  },
];
