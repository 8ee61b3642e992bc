/**
 * The properties that the reference of API v2.0 lists, with their types
 * (learn.microsoft.com/dynamics365/business-central/dev-itpro/api-reference/v2.0/resources/dynamics_customer and its neighbours).
 */
const texts = (names: string) => Object.fromEntries(names.split(" ").map((name) => [name, "String"]));
const decimals = (names: string) => Object.fromEntries(names.split(" ").map((name) => [name, "Decimal"]));
const guids = (names: string) => Object.fromEntries(names.split(" ").map((name) => [name, "Guid"]));

type Types = Readonly<Record<string, string>>;

export const CUSTOMER: Types = {
  id: "Guid",
  ...texts("number displayName"),
  type: "contactType",
  ...texts("addressLine1 addressLine2 city state country postalCode phoneNumber email website salespersonCode"),
  ...decimals("balanceDue creditLimit"),
  taxLiable: "Boolean",
  ...guids("taxAreaId currencyId paymentTermsId shipmentMethodId paymentMethodId"),
  ...texts("taxAreaDisplayName taxRegistrationNumber currencyCode"),
  blocked: "customerBlocked",
  lastModifiedDateTime: "DateTimeOffset",
};

/** It has no link to `contactsInformation`: source of the page "APIV2 - Contacts". */
export const CONTACT: Types = {
  id: "Guid",
  number: "String",
  type: "contactType",
  ...texts("displayName jobTitle companyNumber companyName"),
  contactBusinessRelation: "contactBusinessRelation",
  ...texts(
    "addressLine1 addressLine2 city state country postalCode phoneNumber mobilePhoneNumber email website searchName",
  ),
  privacyBlocked: "Boolean",
  taxRegistrationNumber: "String",
  lastInteractionDate: "Date",
  lastModifiedDateTime: "DateTimeOffset",
};

export const CONTACT_INFORMATION: Types = {
  contactId: "Guid",
  ...texts("contactNumber contactName"),
  contactType: "contactType",
  relatedId: "Guid",
  relatedType: "contactBusinessRelationLinkToTable",
};

export const SALES_ORDER: Types = {
  id: "Guid",
  ...texts("number externalDocumentNumber"),
  orderDate: "Date",
  postingDate: "Date",
  ...guids("customerId billToCustomerId currencyId paymentTermsId shipmentMethodId"),
  ...texts("customerNumber customerName billToName billToCustomerNumber shipToName shipToContact"),
  ...texts("sellToAddressLine1 sellToAddressLine2 sellToCity sellToCountry sellToState sellToPostCode"),
  ...texts("billToAddressLine1 billToAddressLine2 billToCity billToCountry billToState billToPostCode"),
  ...texts("shipToAddressLine1 shipToAddressLine2 shipToCity shipToCountry shipToState shipToPostCode"),
  ...texts("shortcutDimension1Code shortcutDimension2Code currencyCode salesperson"),
  pricesIncludeTax: "Boolean",
  partialShipping: "Boolean",
  requestedDeliveryDate: "Date",
  ...decimals("discountAmount totalAmountExcludingTax totalTaxAmount totalAmountIncludingTax"),
  discountAppliedBeforeTax: "Boolean",
  fullyShipped: "Boolean",
  status: "salesOrderEntityBufferStatus",
  lastModifiedDateTime: "DateTimeOffset",
  ...texts("phoneNumber email"),
};
