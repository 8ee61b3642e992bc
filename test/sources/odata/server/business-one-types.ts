/**
 * Properties of the Service Layer's entities and collections, from the models and objects that public clients and the SDK help list
 * (help.sap.com/doc/089315d8d0f8475a9fc84fb919b501a3/10.0/en-US/SDKHelp: BusinessPartners, ContactEmployees, BPAddresses, ServiceCalls,
 * Documents). A service call's time of change is UpdatedTime, not UpdateTime.
 */
const texts = (names: string) => Object.fromEntries(names.split(" ").map((name) => [name, "String"]));
const whole = (names: string) => Object.fromEntries(names.split(" ").map((name) => [name, "Int32"]));
const yesNo = (names: string) => Object.fromEntries(names.split(" ").map((name) => [name, "BoYesNoEnum"]));
const days = (names: string) => Object.fromEntries(names.split(" ").map((name) => [name, "DateTimeOffset"]));
const times = (names: string) => Object.fromEntries(names.split(" ").map((name) => [name, "TimeOfDay"]));

type Types = Readonly<Record<string, string>>;

export const BUSINESS_PARTNER: Types = {
  ...texts("CardCode CardName CardForeignName Phone1 Phone2 Cellular Fax EmailAddress Website FederalTaxID VatIDNum"),
  CardType: "BoCardTypes",
  ...texts("Notes FreeText Address ZipCode City Country ContactPerson ShipToDefault BilltoDefault AliasName"),
  ...whole("GroupCode LanguageCode SalesPersonCode"),
  ...yesNo("Valid Frozen"),
  ...days("CreateDate UpdateDate"),
  ...times("CreateTime UpdateTime"),
};

export const CONTACT_EMPLOYEE: Types = {
  ...texts(
    "CardCode Name Title FirstName MiddleName LastName Position Address Phone1 Phone2 MobilePhone Fax E_Mail Remarks1",
  ),
  InternalCode: "Int32",
  Gender: "BoGenderTypes",
  Active: "BoYesNoEnum",
};

export const BP_ADDRESS: Types = {
  ...texts("BPCode AddressName AddressName2 Street StreetNo Block ZipCode City County Country State"),
  AddressType: "BoAddressType",
  RowNum: "Int32",
};

export const SERVICE_CALL: Types = {
  ...whole("ServiceCallID ContactCode Status Origin AssigneeCode TechnicianCode DocNum"),
  ...texts(
    "Subject CustomerCode CustomerName Description Resolution ItemCode InternalSerialNum CustomerRefNo BPShipToCode",
  ),
  Priority: "BoSvcCallPriorities",
  ...days("CreationDate UpdateDate ClosingDate ResolutionDate"),
  ...times("CreationTime UpdatedTime"),
};

export const DOCUMENT: Types = {
  ...whole("DocEntry DocNum ContactPersonCode"),
  ...texts("CardCode CardName NumAtCard Comments Address Address2 ShipToCode"),
  DocumentStatus: "BoStatus",
  Cancelled: "BoYesNoEnum",
  DocTotal: "Double",
  ...days("DocDate DocDueDate CreationDate UpdateDate"),
  UpdateTime: "TimeOfDay",
};
