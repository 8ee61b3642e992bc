import { errorPage } from "../error-page.ts";

export const sandboxErrors = errorPage({
  title: "Errors of the sandbox",
  entries: {
    E_SANDBOX_PORT: {
      meaning:
        "The sandbox cannot listen on the requested port, usually because another program (or another sandbox) " +
        "already uses it.",
      normal: "Only when two sandboxes are started with the same fixed port.",
      remedy:
        "Stop the other program, choose another port, or omit the port: the sandbox then uses a free one and " +
        "prints it.",
    },
    E_SANDBOX_DATA: {
      meaning:
        "The file in which the sandbox keeps its records cannot be written, or a line in the middle of it is not " +
        "one of the sandbox's writes. An incomplete last line is no error: a killed process leaves it, and the " +
        "sandbox drops it.",
      normal:
        "No. The path names a file of another program or a folder without write permission, or the file was edited.",
      remedy: "Check the path. The file contains only the sandbox's records: delete it to start with an empty sandbox.",
    },
    E_SANDBOX_RESOURCE: {
      meaning: "A request to write or read rows named a resource that is not in the API reference.",
      normal: "No; the name is misspelled. Names are case-sensitive.",
      remedy: "Use the name as section 4.5 of the reference spells it, with `svc` for the brand.",
    },
    E_SANDBOX_FAULT: {
      meaning:
        "The description of a requested fault is invalid; the message names the member. The fault was not set up.",
      normal: "No.",
      remedy: "Compare the description with the table of faults in the sandbox's README.",
    },
    E_SAMPLE_ERP_EXISTS: {
      meaning: "The file for the new sample ERP already exists. Nothing was overwritten.",
      normal: "Yes, if a demo is started again with the same folder.",
      remedy: "Open the existing one, delete the file, or choose another path.",
    },
    E_SAMPLE_ERP_ROW: {
      meaning: "A command tried to change a row that the sample ERP does not have.",
      normal: "No; the key is wrong, or the row was deleted before.",
      remedy: "Check the table and all parts of the key.",
    },
    E_SANDBOX_SWITCH: {
      meaning:
        "The sandbox was started with an unknown switch, or with an invalid value of a switch. The message shows " +
        "what was found and what was expected. Nothing was started.",
      normal: "No; the switch or its value is misspelled.",
      remedy: "`svcsync sandbox --help` lists every switch with its values.",
    },
    E_SANDBOX_ACCOUNT: {
      meaning:
        "The sandbox was started with an invalid account or token. An account is `user:password`, " +
        "`user:password:code` or JSON, and a token belongs to one of the accounts. The message never shows the " +
        "password.",
      normal: "No.",
      remedy: "Correct the option; `svcsync sandbox --help` has examples.",
    },
  },
});
