/** How a column for a part of a stream is proposed: by typical names, the most likely first. */
export interface PartWords {
  readonly part: string;
  readonly words: readonly string[];
  /** The stream cannot be written without it. */
  readonly isRequired?: boolean;
  /** The key's column is proposed where no name fits. */
  readonly isKeyElse?: boolean;
  /** The stream whose key these columns hold. */
  readonly parent?: StreamKind;
  /** What joins the values of several columns. */
  readonly separator?: string;
}

const list = (text: string) => text.split(" ");

/** Names of stamps that move with each change, in English, German, Spanish and French. */
export const changedWords = list(
  `updated_at modified_at changed_at updated modified changed last_modified last_updated last_changed last_update last_change
   modified_on updated_on changed_on modified_date updated_date change_date modification_date write_date mtime tms
   geaendert_am geaendert aenderungsdatum letzte_aenderung aenderung aktualisiert_am aktualisiert
   fecha_modificacion fecha_actualizacion actualizado modificado date_modification date_maj modifie`.replaceAll(
    /\s+/g,
    " ",
  ),
);

/** Names of keys, where a table has no primary key. */
export const keyWords = list("id uuid nr no num number nummer code key schluessel clave numero");

/** Names of a second line of a name, where it is not the first one's name with a 2. */
export const secondNameWords = list("name2 name_2 firma2 name_zusatz namenszusatz namezusatz zusatz firmenzusatz");

/** Names of the long text of a ticket, beside its subject. */
export const longTextWords = list("description beschreibung body langtext text details detail descripcion texto");

/** Columns that mark a row as deleted or blocked. */
const deleted = list(
  `deleted is_deleted geloescht geloescht_kz loeschkennzeichen loeschkz loesch_kz loeschvormerkung deletion_flag
   gesperrt sperre sperrkz sperrkennzeichen blocked is_blocked locked inactive is_inactive inaktiv disabled archived archiviert
   storniert eliminado supprime active is_active aktiv enabled activo actif`.replaceAll(/\s+/g, " "),
);

/** Names among them that mark the opposite. */
export const activeWords = list("active is_active aktiv enabled activo actif");

/** Words for a customer in a row of another table, optionally followed by one of {@link keyWords}. */
const customerNames = list("customer kunde kunden client cliente debitor debtor party partner account konto");

const orderTables =
  "service_orders service_order serviceauftraege orders order auftraege auftrag sales_orders pedidos pedido commandes commande";

/** Typical table names of each stream, the most likely first. */
export const tableWords: Readonly<Record<StreamKind, readonly string[]>> = {
  customers: list(
    "customers customer kunden kunde kundenstamm debitoren debitor clients client clientes cliente business_partners accounts parties party",
  ),
  contacts: list(
    "contacts contact ansprechpartner kontakte kontakt kontaktpersonen contactos contacto interlocuteurs persons people",
  ),
  sites: list(
    "locations location standorte standort addresses address anschriften adressen adresse lieferadressen direcciones direccion sites site",
  ),
  tickets: list(
    "tickets ticket stoerungen stoerung meldungen incidents incident issues cases complaints anfragen incidencias incidencia reclamaciones demandes",
  ),
  orders: list(orderTables),
};

export type StreamKind = "customers" | "contacts" | "sites" | "tickets" | "orders";

const street = list("street strasse str address_line1 address1 calle direccion rue adresse anschrift address");
const zipcode = list("zipcode zip_code zip postal_code postcode plz postleitzahl codigo_postal cp code_postal");
const city = list("city town ort stadt ciudad poblacion ville");
const email = list("email e_mail mail email_address emailadresse mailadresse correo correo_electronico courriel");
const customer: PartWords = {
  part: "customer",
  words: [
    ...customerNames.flatMap((name) => [...keyWords, "ref"].map((key) => `${name}_${key}`)),
    ...keyWords.flatMap((key) => customerNames.map((name) => `${key}_${name}`)),
    ...customerNames,
  ],
  parent: "customers",
  isRequired: true,
};
const number = (names: string): PartWords => ({
  part: "number",
  words: list(names),
  isRequired: true,
  isKeyElse: true,
});

/** The parts of each stream, besides its table, key and stamp. */
export const parts: Readonly<Record<StreamKind, readonly PartWords[]>> = {
  customers: [
    number(
      "customer_no customer_number kundennummer kunden_nr kundennr numero_cliente client_no number nummer nr no code codigo numero",
    ),
    {
      part: "name",
      words: list(
        "name company_name company firma firmenname name1 customer_name kundenname bezeichnung razon_social nombre raison_sociale nom",
      ),
      isRequired: true,
      separator: " ",
    },
    { part: "shortName", words: list("short_name suchbegriff matchcode kurzname kuerzel nombre_corto alias") },
    { part: "info", words: list("remarks remark notes note bemerkung bemerkungen notiz notizen observaciones notas") },
    { part: "deleted", words: deleted },
  ],
  contacts: [
    customer,
    {
      part: "name",
      words: list("name full_name display_name nombre_completo ansprechpartner kontaktname"),
      isRequired: true,
      separator: " ",
    },
    { part: "firstName", words: list("first_name firstname vorname given_name nombre prenom") },
    {
      part: "lastName",
      words: list("last_name lastname nachname surname family_name familienname apellidos apellido nom"),
    },
    { part: "email", words: email },
    { part: "telephone", words: list("telephone phone telefon tel festnetz phone_number telefonnummer telefono") },
    { part: "mobile", words: list("mobile mobile_phone cell mobil handy mobiltelefon movil portable") },
    { part: "deleted", words: deleted },
  ],
  sites: [
    customer,
    {
      part: "name",
      words: list("name description bezeichnung nombre firma name1 nom"),
      isRequired: true,
      separator: " ",
    },
    { part: "street", words: street, isRequired: true, separator: " " },
    { part: "zipcode", words: zipcode, isRequired: true },
    { part: "city", words: city, isRequired: true },
  ],
  tickets: [
    number("ticket_no ticket_number ticketnummer ticket_nr number nummer nr no numero code"),
    customer,
    {
      part: "description",
      words: list(
        "subject title betreff titel kurztext summary asunto titulo objet description beschreibung text body descripcion",
      ),
      isRequired: true,
      separator: "\n\n",
    },
    {
      part: "dueDate",
      words: list(
        "due_date due_at due_on deadline faellig_am faelligkeit faelligkeitsdatum faellig termin zieltermin fecha_limite echeance",
      ),
    },
  ],
  orders: [
    number("order_no order_number auftragsnummer auftragsnr auftrag_nr belegnummer number nummer nr no numero code"),
    customer,
    {
      part: "ticket",
      words: list("ticket_id ticket_no ticket_nr ticket_number ticketnummer ticket"),
      parent: "tickets",
    },
    {
      part: "reference",
      words: list("reference customer_reference referenz bestellnummer kundenreferenz po_number referencia"),
    },
  ],
};
