import { errorPage } from "../error-page.ts";

export const sandboxErrors = errorPage({
  title: "Errors of the sandbox",
  entries: {
    E_SANDBOX_PORT: {
      meaning:
        "The sandbox was told to listen on a port that it cannot have, mostly because another program (or another " +
        "sandbox) already listens there.",
      normal: "Only when two sandboxes are started with the same fixed port.",
      remedy:
        "Stop the other program, choose another port, or leave the port out: the sandbox then takes any free one and " +
        "prints it.",
    },
    E_SANDBOX_DATA: {
      meaning:
        "The file in which the sandbox keeps its records cannot be written, or a line in the middle of it is not one " +
        "of the sandbox's writes. A torn last line is not an error: it is what a killed process leaves, and it is " +
        "dropped.",
      normal:
        "No. The path points at a file of something else, at a folder without write permission, or the file was " +
        "edited.",
      remedy: "Check the path. The file holds nothing but the sandbox's own records: delete it to start empty.",
    },
    E_SANDBOX_RESOURCE: {
      meaning: "Rows were to be put into, or read from, a resource that the API reference does not have.",
      normal: "No; the name is misspelled. Upper and lower case count.",
      remedy: "Use the name as section 4.5 of the reference spells it, with `svc` for the brand.",
    },
    E_SANDBOX_FAULT: {
      meaning:
        "A fault was ordered whose description the sandbox does not understand; the message names the member. Nothing " +
        "was armed.",
      normal: "No.",
      remedy: "Compare the description with the table of faults in the sandbox's README.",
    },
    E_SAMPLE_ERP_EXISTS: {
      meaning: "A sample ERP was to be created in a file that exists already. Nothing was overwritten.",
      normal: "Yes, on a second start of a demo with the same folder.",
      remedy: "Open the existing one, delete the file, or choose another path.",
    },
    E_SAMPLE_ERP_ROW: {
      meaning: "A row of the sample ERP was to be changed that it does not have.",
      normal: "No; the key is wrong, or the row was deleted before.",
      remedy: "Check the table and all parts of the key.",
    },
    E_SANDBOX_SWITCH: {
      meaning:
        "The sandbox was started with a switch that it does not have, or with a value that the switch cannot take; the " +
        "message names what was found and what was expected. Nothing was started.",
      normal: "No; the switch or its value is misspelled.",
      remedy: "`svcsync sandbox --help` lists every switch with its values.",
    },
    E_SANDBOX_ACCOUNT: {
      meaning:
        "An account or a token that the sandbox was started with is not one: an account is `user:password`, " +
        "`user:password:code` or JSON, and a token belongs to one of the accounts. The message never shows the " +
        "password.",
      normal: "No.",
      remedy: "Correct the option; `svcsync sandbox --help` has examples.",
    },
  },
});
