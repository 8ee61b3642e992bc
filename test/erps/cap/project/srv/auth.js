import cds from "@sap/cds";

const users = {
  reader: { password: "right", roles: ["reader"] },
  auditor: { password: "auditor", roles: ["reader"] },
  clerk: { password: "clerk", roles: ["clerk"] },
};
let refused = 0;

cds.on("set password", (password) => {
  users.reader.password = password;
});
cds.on("count refused", (answer) => answer(refused));

/** Basic authentication against users whose passwords can change, as those of an identity provider do. */
export default function authenticate(request, response, next) {
  const [, proof = ""] = (request.headers.authorization ?? "").split(" ");
  const [name, password] = Buffer.from(proof, "base64").toString().split(":");
  const user = users[name];
  if (user === undefined || user.password !== password) {
    refused += 1;
    return response.status(401).set("WWW-Authenticate", 'Basic realm="erp"').end();
  }
  cds.context.user = new cds.User({ id: name, roles: user.roles });
  next();
}
