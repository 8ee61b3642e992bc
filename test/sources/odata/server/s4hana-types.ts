/**
 * The properties of the published metadata of API_BUSINESS_PARTNER (SAP-samples/cloud-cap-samples-java, srv/external) and
 * API_SERVICE_ORDER_SRV (its CDS form in rui77-lab/cap-eventmesh, srv/external).
 */
const texts = (names: string) => Object.fromEntries(names.split(" ").map((name) => [name, "String"]));
const flags = (names: string) => Object.fromEntries(names.split(" ").map((name) => [name, "Boolean"]));
const days = (names: string) => Object.fromEntries(names.split(" ").map((name) => [name, "DateTime"]));
const instants = (names: string) => Object.fromEntries(names.split(" ").map((name) => [name, "DateTimeOffset"]));

type Types = Readonly<Record<string, string>>;

export const BUSINESS_PARTNER: Types = {
  ...texts("BusinessPartner Customer Supplier AcademicTitle AuthorizationGroup BusinessPartnerCategory"),
  ...texts("BusinessPartnerFullName BusinessPartnerGrouping BusinessPartnerName CorrespondenceLanguage CreatedByUser"),
  BusinessPartnerUUID: "Guid",
  CreationDate: "DateTime",
  CreationTime: "Time",
  ...texts("FirstName FormOfAddress Industry InternationalLocationNumber1 IsNaturalPerson GenderCodeName Language"),
  ...flags("IsFemale IsMale IsSexUnknown BusinessPartnerIsBlocked IsMarkedForArchiving"),
  LastChangeDate: "DateTime",
  LastChangeTime: "Time",
  ...texts("LastChangedByUser LastName LegalForm OrganizationBPName1 OrganizationBPName2 OrganizationBPName3"),
  ...texts("OrganizationBPName4 SearchTerm1 SearchTerm2 AdditionalLastName BusinessPartnerType ETag MiddleName"),
  ...days("OrganizationFoundationDate OrganizationLiquidationDate BirthDate"),
  ...texts("PersonFullName PersonNumber BusinessPartnerIDByExtSystem TradingPartner"),
};

export const CUSTOMER: Types = {
  ...texts(
    "Customer AuthorizationGroup BillingIsBlockedForCustomer CreatedByUser CustomerAccountGroup CustomerFullName",
  ),
  CreationDate: "DateTime",
  ...texts("CustomerName DeliveryIsBlocked OrderIsBlockedForCustomer Supplier TaxNumber1 TaxNumber2 VATRegistration"),
  ...flags("PostingIsBlocked DeletionIndicator"),
};

export const ADDRESS: Types = {
  ...texts("BusinessPartner AddressID CareOfName CityName Country District FullName HouseNumber"),
  ...texts(
    "HouseNumberSupplementText Language POBox Person PostalCode Region StreetName StreetPrefixName StreetSuffixName",
  ),
  ...instants("ValidityStartDate ValidityEndDate"),
  AddressUUID: "Guid",
};

export const SERVICE_ORDER: Types = {
  ...texts("ServiceOrder ServiceOrderType ServiceOrderDescription ServiceObjectType Language ServiceDocumentPriority"),
  ServiceOrderUUID: "Guid",
  ...instants("RequestedServiceStartDateTime RequestedServiceEndDateTime ServiceDocChangedDateTime"),
  ...days("PostingDate ServiceDocumentCreationDate ServiceDocumentChangedDate CustomerPurchaseOrderDate"),
  ...texts("PurchaseOrderByCustomer ServiceOrderIsReleased ServiceOrderIsCompleted ServiceOrderIsRejected"),
  SrvcOrdIsBusinessCompleted: "Boolean",
  ...texts("SalesOrganization SoldToParty ShipToParty BillToParty PayerParty ContactPerson TransactionCurrency"),
  ServiceDocGrossAmount: "Decimal",
  ServiceDocNetAmount: "Decimal",
  ...texts("ReferenceServiceRequest ReferenceServiceContract ReferenceServiceOrder SrvcOrdExecutionStatus"),
};
