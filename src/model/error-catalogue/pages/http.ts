import { errorPage } from "../error-page.ts";

export const httpErrors = errorPage({
  title: "Errors of HTTP",
  entries: {
    E_HTTP_UNREACHABLE: {
      meaning:
        "No connection could be made: the name is unknown, the address refuses, or the proxy does. Nothing was sent.",
      normal: "For a moment, while the other side restarts.",
      remedy: "Check the address, the network and the proxy settings.",
      heals: true,
    },
    E_HTTP_TLS: {
      meaning:
        "The secure connection failed: the certificate is not trusted, has expired, or belongs to another name. " +
        "Nothing was sent.",
      normal: "No.",
      remedy: "Give the PEM file of a private authority (SERVICE_CA_FILE for the service), or renew the certificate.",
      heals: true,
    },
    E_HTTP_TIMEOUT: {
      meaning:
        "The connection, the answer or the whole call took longer than its time-out. After the connection stood, the " +
        "request may have been carried out.",
      normal: "Now and then under load; it is repeated where that is harmless.",
      remedy: "Nothing. If it stays, look at the other side's load, or raise the time-out that the message names.",
      heals: true,
    },
    E_HTTP_CUT: {
      meaning: "The connection ended before the answer was whole. The request may have been carried out.",
      normal: "Now and then: restarts, balancers, mobile networks.",
      remedy: "Nothing. If it stays, look for a device in between that cuts connections.",
      heals: true,
    },
    E_HTTP_TOO_LARGE: {
      meaning: "The answer is larger than the limit and was not read.",
      normal: "No.",
      remedy: "Raise the limit (SERVICE_RESPONSE_LIMIT_BYTES for the service), if the answer should be that large.",
    },
    E_HTTP_MALFORMED: {
      meaning: "The answer should be JSON and is not: usually an error page of a proxy or a login page.",
      normal: "No.",
      remedy: "Open the address from the same machine and see what answers.",
      heals: true,
    },
    E_HTTP_ENCODING: {
      meaning:
        "The answer holds bytes that are not text in the encoding that it declares (UTF-8 where it declares none), or " +
        "it declares an encoding that is not known. Nothing of it was used: replacing such bytes would write wrong " +
        "names.",
      normal: "No.",
      remedy: "Make the other side, or the proxy before it, declare the encoding that it sends.",
    },
    E_HTTP_ORIGIN: {
      meaning:
        "An address or a redirect leads to another host, another port, or from https to http. Credentials are sent to " +
        "the configured address alone, so nothing was sent there.",
      normal: "After the other side moved, or where a server hands out links under its internal name.",
      remedy: "Set the address to the intended one: credentials are sent nowhere else.",
      more:
        "The message names the address that was meant: use it if it is yours. `http` that redirects to `https` needs " +
        "`https` in the settings.",
    },
    E_HTTP_CA_FILE: {
      meaning:
        "The file with the private authorities cannot be read or holds no certificate in PEM form. Nothing starts.",
      normal: "No.",
      remedy: "Correct the path, the permissions or the file: it must hold a certificate in PEM form.",
      more: "It begins with `-----BEGIN CERTIFICATE-----`.",
    },
  },
});
