import cds from "@sap/cds";

export default class ErpService extends cds.ApplicationService {
  /** A request with this header stays in its transaction until it is let go. */
  init() {
    this.after("*", (_, request) => request.headers?.["x-hold"] && new Promise((go) => cds.once("let go", go)));
    return super.init();
  }
}
