/** What kind of value a property has. */
export type Kind = "array" | "boolean" | "enum" | "integer" | "object" | "string" | "timestamp";

export interface Property {
  readonly kind: Kind;
  readonly filterable: boolean;
}

/**
 * The properties of the entities that the preset reads, by kind of value, as weclapp's OpenAPI description lists them; a minus marks those
 * with `filterable: false`. Source: weclapp API v2, `test/openapi_v2.json` in https://github.com/weclapp/sdk (version 3 has the same).
 */
const LISTED: Readonly<Record<string, Readonly<Partial<Record<Kind, string>>>>> = {
  party: {
    array: [
      "-customAttributes -addresses -onlineAccounts tags -bankAccounts -commissionSalesPartners -contacts",
      "-customerSalesStageHistory -partyEmailAddresses -partyHabitualExporterLettersOfIntent -topics",
    ].join(" "),
    boolean: [
      "commissionBlock competitor customer customerAllowDropshippingOrderCreation customerBlocked",
      "customerDeliveryBlock customerInsolvent customerInsured customerUseCustomsTariffNumber",
      "enableDropshippingInNewSupplySources factoring fixedResponsibleUser formerSalesPartner habitualExporter",
      "invoiceBlock optInEmail optInLetter optInPhone optInSms purchaseViaPlafond salesPartner supplier",
      "supplierActive supplierMergeItemsForOcrInvoiceUpload supplierOrderBlock",
    ].join(" "),
    enum: [
      "partyType salutation customerBusinessType customerSalesChannel customerSalesOrderPaymentType",
      "customerSatisfaction leadStatus salesPartnerDefaultCommissionType",
    ].join(" "),
    integer: "customerSalesProbability",
    string: [
      "id version company company2 deliveryAddressId email -emailHome fax firstName invoiceAddressId lastName",
      "middleName -mobilePhone1 personCompany personDepartmentId personRoleId phone primaryAddressId titleId",
      "website -commercialLanguageId companySizeId currencyId customerAmountInsured customerAnnualRevenue",
      "customerBlockNotice customerCategoryId customerCreditLimit customerCurrentSalesStageId",
      "customerDebtorAccountId customerDebtorAccountingCodeId customerDefaultHeaderDiscount",
      "customerDefaultHeaderSurcharge customerDefaultShippingCarrierId customerDefaultWarehouseId",
      "customerInternalNote customerLossDescription customerLossReasonId customerNonStandardTaxId",
      "customerNumber customerNumberOld customerPaymentMethodId customerShipmentMethodId customerSupplierNumber",
      "customerTermOfPaymentId deliveryEmailAddressesId description dunningAddressId dunningEmailAddressesId",
      "eoriNumber fixPhone2 imageId invoiceRecipientId leadRatingId leadSourceId legalFormId mobilePhone2",
      "parentPartyId phoneHome primaryContactId publicPageUuid purchaseEmailAddressesId",
      "quotationEmailAddressesId ratingId referenceNumber regionId responsibleUserId",
      "salesInvoiceEmailAddressesId salesOrderEmailAddressesId salesPartnerDefaultCommissionFix",
      "salesPartnerDefaultCommissionPercentage sectorId supplierCreditorAccountId",
      "supplierCreditorAccountingCodeId supplierCustomerNumberAtSupplier supplierDefaultShippingCarrierId",
      "supplierInternalNote supplierMinimumPurchaseOrderAmount supplierNonStandardTaxId supplierNumber",
      "supplierNumberOld supplierPaymentMethodId supplierShipmentMethodId supplierTermOfPaymentId taxId",
      "vatIdentificationNumber xRechnungLeitwegId",
    ].join(" "),
    timestamp: "createdDate lastModifiedDate birthDate convertedOnDate publicPageExpirationDate",
  },
  ticket: {
    array: "-customAttributes -entityReferences tags -watchers",
    boolean: "billable billableStatus disableEmailTemplates isTemplate legacyTimeAndMaterialTicket -resolvedYourIssue",
    enum: "invoicingStatus performanceRecordedStatus ticketRating",
    string: [
      "id version assignedPoolingGroupId assignedUserId -ccEmailAddresses contactId contractId description",
      "email firstName language lastName legacyArticleId mail2TicketId mobilePhoneNumber note partyId",
      "phoneNumber publicPageUuid responsibleUserId room salesOrderId subject ticketCategoryId ticketChannelId",
      "ticketNumber ticketPriorityId ticketRatingComment ticketServiceLevelAgreementId ticketStatusId",
      "ticketTypeId",
    ].join(" "),
    timestamp: [
      "createdDate lastModifiedDate finishedDate followUpDate publicPageExpirationDate solutionDueDate",
      "ticketRatingDate",
    ].join(" "),
  },
  salesOrder: {
    array: [
      "-customAttributes tags -commissionSalesPartners -orderItems -payments -projectMembers -shippingCostItems",
      "-statusHistory",
    ].join(" "),
    boolean: [
      "-disableRecordEmailingRule sentToRecipient currencyConversionLocked -factoring",
      "applyShippingCostsOnlyOnce invoiced onlyServices paid projectModeActive recordCommentInheritance",
      "recordFreeTextInheritance recordOpeningInheritance servicesFinished shipped template",
    ].join(" "),
    enum: "salesChannel advancePaymentStatus salesOrderPaymentType status",
    integer: "shippingLabelsCount",
    object: [
      "-deliveryAddress -deliveryEmailAddresses -invoiceAddress -recordAddress -salesInvoiceEmailAddresses",
      "-ecommerceOrder -recordEmailAddresses",
    ].join(" "),
    string: [
      "id version commercialLanguage -creatorId description recordComment recordFreeText recordOpening",
      "currencyConversionRate grossAmount grossAmountInCompanyCurrency headerDiscount headerSurcharge netAmount",
      "netAmountInCompanyCurrency nonStandardTaxId paymentMethodId recordCurrencyId termOfPaymentId commission",
      "customerId dispatchCountryCode responsibleUserId shipmentMethodId defaultShippingCarrierId",
      "-advancePaymentAmount cashAccountId customerHabitualExporterLetterOfIntentId",
      "defaultShippingReturnCarrierId fulfillmentProviderId invoiceRecipientId note orderNumber",
      "orderNumberAtCustomer projectGoals quotationId -recordAsn sepaDirectDebitMandateId warehouseId",
    ].join(" "),
    timestamp: [
      "createdDate lastModifiedDate currencyConversionDate pricingDate servicePeriodFrom servicePeriodTo",
      "plannedDeliveryDate plannedShippingDate orderDate plannedProjectEndDate plannedProjectStartDate",
    ].join(" "),
  },
  ticketStatus: {
    boolean: "defaultForInternal",
    enum: "color internalTicketStatus",
    integer: "autoChangeDays positionNumber",
    string: "id version autoChangeTicketStatusId name targetStatusId",
    timestamp: "createdDate lastModifiedDate",
  },
};

export const PROPERTIES: Readonly<Record<string, ReadonlyMap<string, Property>>> = Object.fromEntries(
  Object.entries(LISTED).map(([entity, kinds]) => [entity, new Map(Object.entries(kinds).flatMap(properties))]),
);

function properties([kind, names]: [string, string]): [string, Property][] {
  return names.split(" ").map((name) => [
    name.replace("-", ""),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of LISTED are kinds
    { kind: kind as Kind, filterable: !name.startsWith("-") },
  ]);
}
