import cds from "@sap/cds";

const db = await cds.connect.to("db");
await cds.deploy("*").to(db);
process.exit(0);
