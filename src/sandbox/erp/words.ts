export const TRADES = [
  ..."Haustechnik Installationen Elektrotechnik Kältetechnik Gebäudereinigung Aufzüge Bäckerei Hotel Gasthof".split(
    " ",
  ),
  ..."Zahnärzte Autohaus Tischlerei Käserei Weingut Spedition Metallbau Malerbetrieb Gärtnerei Apotheke Pension".split(
    " ",
  ),
];

export const FORMS = ["GmbH", "GmbH & Co. KG", "KG", "e.U.", "OG", "AG", "e.K.", "UG (haftungsbeschränkt)"];

export const SURNAMES = [
  ..."Müller Huber Gruber Bauer Wagner Pichler Steiner Moser Mayer Hofer Leitner Berger Fuchs Eder Fischer".split(" "),
  ..."Schmid Winkler Weber Schwarz Maier Schneider Reiter Mayr Schmidt Wimmer Egger Brunner Lang Baumgartner".split(
    " ",
  ),
  ..."Auer Binder Lechner Wolf Wallner Aigner Böhm Koller Lehner Haas Köhler Größl Öttl Ünal Jäger Weiß".split(" "),
  ..."Strauß Krüger Schröder Groß Böttcher O'Brien Nguyễn d'Angelo".split(" "),
];

export const MEN =
  "Jürgen Björn Günther Hans-Jörg Stefan Markus Lukas Maximilian Tobias André René Željko Mehmet Karl Josef".split(" ");

export const WOMEN =
  "Käthe Sabine Ute Monika Jasmin Zoë Ayşe Renée Bärbel Marlene Sophie Johanna Elisabeth Birgit Anna-Lena".split(" ");

export const TOWNS = [
  ..."Wien Graz Linz Salzburg Innsbruck Klagenfurt Wörgl Mödling Krems Dornbirn Passau München Nürnberg".split(" "),
  ..."Köln Düsseldorf Würzburg Tübingen Lübeck Göttingen Saarbrücken".split(" "),
];

export const REMARKS = [
  "Schlüssel beim Portier, Hr. Böhm",
  'Vertrag "Komfort Plus" bis Jahresende',
  "Zufahrt nur über die Hofeinfahrt; bitte läuten",
  "Zahlt pünktlich\nRechnung per Post",
  "O'Reilly-Anlage, Baujahr 1998",
  "Rabatt 5 % auf Arbeitszeit",
];

export const WARNINGS = [
  "Achtung: Hund im Hof!",
  "Offene Posten > 60 Tage",
  "Nur mit Sicherheitsunterweisung betreten",
];

export const SUBJECTS = [
  "Heizung fällt aus",
  "Wärmepumpe meldet Störung 7–14",
  "Jährliche Wartung fällig",
  "Aufzug bleibt zwischen 2. und 3. OG stehen",
  'Anzeige zeigt "Err 42"',
  "Wasser tropft aus der Decke",
  "Kühlraum erreicht -18 °C nicht",
  "Angebot für neuen Brenner gewünscht",
  "Schlüsselübergabe & Einschulung",
  "Rauchmelder piepst (nachts)",
];

export const BODIES = [
  "Kunde hat angerufen und bittet um Rückruf.",
  "Tritt seit gestern auf.\nBitte vor 10:00 Uhr kommen.",
  "Siehe Foto im Anhang; Gerät steht im Keller links hinten.",
  'Meldung lautet: "Druck < 1,2 bar".',
];

export const ORDER_REMARKS = [
  "Ersatzteil bestellt",
  "2 Monteure einplanen",
  "Lift vor Ort nötig",
  "Abrechnung nach Aufwand",
];
