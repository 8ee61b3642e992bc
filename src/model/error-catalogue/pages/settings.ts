import { errorPage } from "../error-page.ts";

export const settingsErrors = errorPage({
  title: "Errors of the settings",
  entries: {
    E_SETTINGS: {
      meaning:
        "The settings are invalid: a value is missing or has the wrong form, two values contradict each other, or " +
        "a key is unknown. The message lists every problem at once, sorted by key, with what was found (never a " +
        "secret) and what is expected. Nothing was started; the exit code is 78.",
      normal: "After an edit of the settings, yes. Otherwise no: the same settings always give the same result.",
      remedy: 'Correct what the message lists, then run "svcsync check"; .env.example explains every key.',
      more:
        "The process environment takes precedence over the env file, so look there too if svcsync uses another " +
        "value than the one in the file.",
    },
  },
});
