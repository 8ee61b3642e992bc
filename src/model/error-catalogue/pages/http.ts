import { errorPage } from "../error-page.ts";

export const httpErrors = errorPage({
  title: "Errors of HTTP",
  entries: {
    E_HTTP_UNREACHABLE: {
      meaning:
        "No connection could be made: the name is unknown, or the address or the proxy refused the connection. " +
        "Nothing was sent.",
      normal: "For a moment, while the other side restarts.",
      remedy: "Check the address, the network and the proxy settings.",
      heals: true,
    },
    E_HTTP_TLS: {
      meaning:
        "The secure connection failed: the certificate is not trusted, has expired, or belongs to another name. " +
        "Nothing was sent.",
      normal: "No.",
      remedy: "Set the PEM file of a private authority (SERVICE_CA_FILE for the service), or renew the certificate.",
      heals: true,
    },
    E_HTTP_TIMEOUT: {
      meaning:
        "The connection, the answer or the whole call took longer than its time-out. If the connection was " +
        "established, the request may have been executed.",
      normal: "Occasionally, under load. svcsync repeats the request if that is safe.",
      remedy: "Nothing. If it lasts, check the load of the server, or raise the time-out that the message names.",
      heals: true,
    },
    E_HTTP_CUT: {
      meaning: "The connection ended before the answer was complete. The request may have been executed.",
      normal: "Occasionally, because of restarts, load balancers or mobile networks.",
      remedy: "Nothing. If it lasts, look for a network device that closes connections.",
      heals: true,
    },
    E_HTTP_TOO_LARGE: {
      meaning: "The answer is larger than the limit and was not read.",
      normal: "No.",
      remedy: "If the answer should be that large, raise the limit (SERVICE_RESPONSE_LIMIT_BYTES for the service).",
    },
    E_HTTP_MALFORMED: {
      meaning: "The answer should be JSON and is not: usually an error page of a proxy or a login page.",
      normal: "No.",
      remedy: "Open the address on the same machine, to see what answers.",
      heals: true,
    },
    E_HTTP_ENCODING: {
      meaning:
        "The answer contains bytes that are invalid in its declared encoding (UTF-8 by default), or it declares an " +
        "unknown encoding. Nothing of it was used: replacing such bytes would write wrong names.",
      normal: "No.",
      remedy: "Configure the server, or the proxy in front of it, to declare the encoding that it sends.",
    },
    E_HTTP_ORIGIN: {
      meaning:
        "An address or a redirect leads to another host, another port, or from https to http. svcsync sends " +
        "credentials only to the configured address, so it sent nothing there.",
      normal: "After the server moved, or if it returns links with its internal name.",
      remedy: "Set the address to the intended one: credentials are sent nowhere else.",
      more:
        "The message names the new address: use it if it is yours. If `http` redirects to `https`, write `https` " +
        "in the settings.",
    },
    E_HTTP_CA_FILE: {
      meaning:
        "The file with the private authorities cannot be read, or contains no certificate in PEM format. svcsync " +
        "does not start.",
      normal: "No.",
      remedy: "Correct the path, the permissions or the file: it must contain a certificate in PEM format.",
      more: "It begins with `-----BEGIN CERTIFICATE-----`.",
    },
  },
});
