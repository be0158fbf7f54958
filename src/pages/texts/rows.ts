/** Texts of rows, columns and charts, by language. */

export const englishRowTexts = {
  textsLikeNumbers: {
    one: '{names} has texts that look like numbers or true and false: read as text, they stay as they are.',
    other: '{names} have texts that look like numbers or true and false: read as text, they stay as they are.',
  },
  useTheseRows: 'Use these rows in a program',
} as const;

export const germanRowTexts = {
  textsLikeNumbers: {
    one: '{names} hat Texte, die wie Zahlen oder Wahrheitswerte aussehen: Als Text gelesen, bleiben sie, wie sie sind.',
    other:
      '{names} haben Texte, die wie Zahlen oder Wahrheitswerte aussehen: Als Text gelesen, bleiben sie, wie sie sind.',
  },
  useTheseRows: 'Diese Zeilen in einem Programm verwenden',
} as const;

export const frenchRowTexts = {
  textsLikeNumbers: {
    one: '{names} contient des textes qui ressemblent à des nombres ou à vrai et faux : lus comme textes, ils restent tels quels.',
    other:
      '{names} contiennent des textes qui ressemblent à des nombres ou à vrai et faux : lus comme textes, ils restent tels quels.',
  },
  useTheseRows: 'Utiliser ces lignes dans un programme',
} as const;
