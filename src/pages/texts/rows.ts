/** Texts of rows, columns and charts, by language. */

export const englishRowTexts = {
  columnOf: 'column of {label}',
  missing: 'Missing',
  distinctValues: 'Distinct values',
  smallest: 'Smallest',
  largest: 'Largest',
  mean: 'Mean',
  median: 'Median',
  mostFrequent: 'Most frequent values',
  barsAsTable: 'The bars as a table',
  fromEdge: 'From',
  toEdge: 'To',
  nameInVersion: 'Name',
  typeInVersion: 'Type',
  notInVersion: 'not in this version',
  mapOfRows: { one: 'Map of the matching row', other: 'Map of the {number} matching rows' },
  headsOfMatching:
    'In the heads: light, all {rows}; dark, the {count} that match, to a scale of their own. A bar or a value is a link that filters by it.',
  textsLikeNumbers: {
    one: '{names} has texts that look like numbers or true and false: read as text, they stay as they are.',
    other: '{names} have texts that look like numbers or true and false: read as text, they stay as they are.',
  },
  useTheseRows: 'Use these rows in a program',
} as const;

export const germanRowTexts = {
  columnOf: 'Spalte von {label}',
  missing: 'Fehlend',
  distinctValues: 'Verschiedene Werte',
  smallest: 'Kleinster',
  largest: 'Größter',
  mean: 'Mittelwert',
  median: 'Median',
  mostFrequent: 'Häufigste Werte',
  barsAsTable: 'Die Balken als Tabelle',
  fromEdge: 'Von',
  toEdge: 'Bis',
  nameInVersion: 'Name',
  typeInVersion: 'Typ',
  notInVersion: 'nicht in dieser Version',
  mapOfRows: { one: 'Karte der passenden Zeile', other: 'Karte der {number} passenden Zeilen' },
  headsOfMatching:
    'In den Köpfen: hell alle {rows}, dunkel die {count}, die passen, in eigenem Maßstab. Balken und Werte sind Links, die danach filtern.',
  textsLikeNumbers: {
    one: '{names} hat Texte, die wie Zahlen oder Wahrheitswerte aussehen: Als Text gelesen, bleiben sie, wie sie sind.',
    other:
      '{names} haben Texte, die wie Zahlen oder Wahrheitswerte aussehen: Als Text gelesen, bleiben sie, wie sie sind.',
  },
  useTheseRows: 'Diese Zeilen in einem Programm verwenden',
} as const;

export const frenchRowTexts = {
  columnOf: 'colonne de {label}',
  missing: 'Manquantes',
  distinctValues: 'Valeurs distinctes',
  smallest: 'Minimum',
  largest: 'Maximum',
  mean: 'Moyenne',
  median: 'Médiane',
  mostFrequent: 'Valeurs les plus fréquentes',
  barsAsTable: 'Les barres en tableau',
  fromEdge: 'De',
  toEdge: 'À',
  nameInVersion: 'Nom',
  typeInVersion: 'Type',
  notInVersion: 'absente de cette version',
  mapOfRows: { one: 'Carte de la ligne qui correspond', other: 'Carte des {number} lignes qui correspondent' },
  headsOfMatching:
    'Dans les en-têtes : en clair, l’ensemble ({rows}) ; en foncé, les {count} qui correspondent, à leur propre échelle. Une barre ou une valeur est un lien qui filtre.',
  textsLikeNumbers: {
    one: '{names} contient des textes qui ressemblent à des nombres ou à vrai et faux : lus comme textes, ils restent tels quels.',
    other:
      '{names} contiennent des textes qui ressemblent à des nombres ou à vrai et faux : lus comme textes, ils restent tels quels.',
  },
  useTheseRows: 'Utiliser ces lignes dans un programme',
} as const;
