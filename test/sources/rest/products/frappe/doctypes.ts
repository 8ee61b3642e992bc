/**
 * The fields of the DocTypes that the preset reads, as their public sources define them. `links` names link fields with what they refer to.
 * Sources: erpnext/selling/doctype/customer/customer.json, erpnext/support/doctype/issue/issue.json,
 * erpnext/maintenance/doctype/maintenance_visit/maintenance_visit.json, frappe/contacts/doctype/contact/contact.json,
 * frappe/contacts/doctype/address/address.json, frappe/core/doctype/deleted_document/deleted_document.json,
 * frappe/core/doctype/dynamic_link/dynamic_link.json (github.com/frappe/erpnext, github.com/frappe/frappe).
 */
export interface DocType {
  readonly fields: readonly string[];
  readonly links?: Readonly<Record<string, string>>;
  /** Child tables: the field, and the DocType of its rows. */
  readonly tables?: Readonly<Record<string, string>>;
  /** Who may read it besides the System Manager. */
  readonly roles: readonly string[];
}

/** Every DocType has these (frappe/model/__init__.py, default_fields). */
export const STANDARD = words("name owner creation modified modified_by docstatus idx");
/** Rows of child tables have these too (child_table_fields). */
export const OF_CHILDREN = words("parent parentfield parenttype");

export const DOCTYPES: Readonly<Record<string, DocType>> = {
  Customer: {
    fields: words(
      `naming_series salutation customer_name customer_type customer_group territory gender lead_name account_manager image
       default_price_list default_currency is_internal_customer market_segment industry website language customer_details
       customer_primary_contact mobile_no email_id customer_primary_address primary_address tax_id tax_category payment_terms
       loyalty_program default_sales_partner so_required dn_required is_frozen disabled`,
    ),
    links: { customer_group: "Customer Group", territory: "Territory", customer_primary_address: "Address" },
    roles: ["Sales User"],
  },
  Contact: {
    fields: words(
      `first_name middle_name last_name full_name email_id user address status salutation designation gender phone mobile_no
       company_name image is_primary_contact department unsubscribed`,
    ),
    tables: { links: "Dynamic Link" },
    roles: ["Sales User", "Maintenance User"],
  },
  Address: {
    fields: words(
      `address_title address_type address_line1 address_line2 city county state country pincode email_id phone fax
       is_primary_address is_shipping_address disabled`,
    ),
    tables: { links: "Dynamic Link" },
    roles: ["Sales User", "Maintenance User"],
  },
  "Dynamic Link": { fields: words("link_doctype link_name link_title"), roles: [] },
  Issue: {
    fields: words(
      `naming_series subject customer raised_by status priority issue_type description response_by sla_resolution_by
       first_responded_on lead contact email_account customer_name project company resolution_details opening_date opening_time`,
    ),
    links: { customer: "Customer", contact: "Contact" },
    roles: ["Support Team"],
  },
  "Maintenance Visit": {
    fields: words(
      `naming_series customer customer_name address_display contact_display contact_mobile contact_email maintenance_schedule
       mntc_date mntc_time completion_status maintenance_type customer_feedback status amended_from company customer_address
       contact_person territory customer_group`,
    ),
    links: { customer: "Customer", contact_person: "Contact" },
    roles: ["Maintenance User"],
  },
  "Deleted Document": { fields: words("deleted_name deleted_doctype restored new_name data"), roles: [] },
};

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
