import cds from "@sap/cds";

// What the trial does to the server from outside.
cds.on("bootstrap", (app) => {
  app.post("/let-go", (_, response) => {
    cds.emit("let go");
    response.end();
  });
  app.get("/held", (_, response) => {
    response.json(cds.listenerCount("let go"));
  });
  app.post("/password/:password", (request, response) => {
    cds.emit("set password", request.params.password);
    response.end();
  });
  app.get("/refused", (_, response) => {
    cds.emit("count refused", (count) => response.json(count));
  });
});
