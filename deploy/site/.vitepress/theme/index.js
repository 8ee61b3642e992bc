import { h } from "vue";
import theme from "vitepress/theme-without-fonts";
import VersionSelect from "./VersionSelect.vue";
// oxlint-disable-next-line import/no-unassigned-import -- this is how Vite is given styles.
import "./style.css";

export default {
  extends: theme,
  Layout: () => h(theme.Layout, null, { "nav-bar-content-before": () => h(VersionSelect) }),
};
