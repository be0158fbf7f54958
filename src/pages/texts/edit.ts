/** Texts of the form that edits a dataset, by language. */

export const englishEditTexts = {
  edit: 'Edit',
  editDataset: 'Edit {label}',
  save: 'Save',
  cancel: 'Cancel',
  becomesCommit: 'It becomes a commit in your name.',
  fieldLabel: 'Label',
  fieldDescription: 'Description',
  fieldHomepage: 'Homepage',
  fieldIssued: 'Issued',
  fieldModified: 'Modified',
  fieldVisibility: 'Visibility',
  hintDescription: 'Markdown; the first paragraph stands in lists',
  hintKeywords: 'with commas between',
  hintLicence: 'SPDX identifier, or URL',
  hintHomepage: 'URL',
  hintContact: 'e-mail address, or URL',
  hintIssued: 'YYYY-MM-DD, if before its first version',
  hintModified: 'YYYY-MM-DD, if after its newest version',
  choicePublic: 'public: everybody sees it',
  choicePrivate: 'private: only its owners and readers see it',
  notSaved: 'Nothing is saved yet',
  fieldsToCorrect: { one: 'Correct this field, and save again.', other: 'Correct these fields, and save again.' },
  changedMeanwhile:
    'Somebody else has changed this dataset since you opened the form. Below each field concerned is what it is now. Save again to write what is in the form.',
  changedByOthers: 'Changed by somebody else meanwhile. It is now:',
  takenFromOthers: 'Changed by somebody else meanwhile. The field has the new text: you had not changed it.',
  formIsOld:
    'This form is of an earlier login (CSRF Failed). What you typed is still in it: save again. If you see this again, allow cookies for this site.',
  loggedOutMeanwhile:
    'You are no longer logged in. What you typed is still in the form: {link} in a new tab, come back to this one, and save twice: the first time, the form only learns of the new login.',
} as const;

export const germanEditTexts = {
  edit: 'Bearbeiten',
  editDataset: '{label} bearbeiten',
  save: 'Speichern',
  cancel: 'Abbrechen',
  becomesCommit: 'Daraus wird ein Commit in Ihrem Namen.',
  fieldLabel: 'Bezeichnung',
  fieldDescription: 'Beschreibung',
  fieldHomepage: 'Website',
  fieldIssued: 'Veröffentlicht',
  fieldModified: 'Geändert',
  fieldVisibility: 'Sichtbarkeit',
  hintDescription: 'Markdown; der erste Absatz steht in Listen',
  hintKeywords: 'mit Kommas dazwischen',
  hintLicence: 'SPDX-Kennung oder URL',
  hintHomepage: 'URL',
  hintContact: 'E-Mail-Adresse oder URL',
  hintIssued: 'JJJJ-MM-TT, falls vor der ersten Version',
  hintModified: 'JJJJ-MM-TT, falls nach der neuesten Version',
  choicePublic: 'öffentlich: alle sehen ihn',
  choicePrivate: 'privat: nur Eigentümer und Leser sehen ihn',
  notSaved: 'Noch ist nichts gespeichert',
  fieldsToCorrect: {
    one: 'Berichtigen Sie dieses Feld, und speichern Sie noch einmal.',
    other: 'Berichtigen Sie diese Felder, und speichern Sie noch einmal.',
  },
  changedMeanwhile:
    'Jemand anderes hat den Datensatz geändert, seit Sie das Formular geöffnet haben. Unter jedem Feld, das es betrifft, steht der jetzige Stand. Speichern Sie noch einmal, um zu schreiben, was im Formular steht.',
  changedByOthers: 'Inzwischen von jemand anderem geändert. Jetzt steht dort:',
  takenFromOthers: 'Inzwischen von jemand anderem geändert. Im Feld steht der neue Text: Sie hatten es nicht geändert.',
  formIsOld:
    'Dieses Formular gehört zu einer früheren Anmeldung (CSRF Failed). Was Sie geschrieben haben, steht noch darin: Speichern Sie noch einmal. Wenn diese Meldung wiederkommt, erlauben Sie Cookies für diese Seite.',
  loggedOutMeanwhile:
    'Sie sind nicht mehr angemeldet. Was Sie geschrieben haben, steht noch im Formular: {link} in einem neuen Tab, kommen Sie hierher zurück, und speichern Sie zweimal: Beim ersten Mal erfährt das Formular nur von der neuen Anmeldung.',
} as const;

export const frenchEditTexts = {
  edit: 'Modifier',
  editDataset: 'Modifier {label}',
  save: 'Enregistrer',
  cancel: 'Annuler',
  becomesCommit: 'Cela devient un commit en votre nom.',
  fieldLabel: 'Libellé',
  fieldDescription: 'Description',
  fieldHomepage: 'Site web',
  fieldIssued: 'Publié le',
  fieldModified: 'Modifié le',
  fieldVisibility: 'Visibilité',
  hintDescription: 'Markdown ; le premier paragraphe figure dans les listes',
  hintKeywords: 'séparés par des virgules',
  hintLicence: 'identifiant SPDX ou URL',
  hintHomepage: 'URL',
  hintContact: 'adresse électronique ou URL',
  hintIssued: 'AAAA-MM-JJ, si c’est avant la première version',
  hintModified: 'AAAA-MM-JJ, si c’est après la dernière version',
  choicePublic: 'public : tout le monde le voit',
  choicePrivate: 'privé : seuls ses propriétaires et ses lecteurs le voient',
  notSaved: 'Rien n’est encore enregistré',
  fieldsToCorrect: {
    one: 'Corrigez ce champ, puis enregistrez encore une fois.',
    other: 'Corrigez ces champs, puis enregistrez encore une fois.',
  },
  changedMeanwhile:
    'Quelqu’un d’autre a modifié ce jeu de données depuis l’ouverture du formulaire. Sous chaque champ concerné figure l’état actuel. Enregistrez encore une fois pour écrire ce qui est dans le formulaire.',
  changedByOthers: 'Modifié entre-temps par quelqu’un d’autre. État actuel :',
  takenFromOthers:
    'Modifié entre-temps par quelqu’un d’autre. Le champ contient le nouveau texte : vous ne l’aviez pas modifié.',
  formIsOld:
    'Ce formulaire date d’une connexion antérieure (CSRF Failed). Ce que vous avez écrit y est encore : enregistrez encore une fois. Si ce message revient, autorisez les cookies pour ce site.',
  loggedOutMeanwhile:
    'Vous n’êtes plus connecté. Ce que vous avez écrit est encore dans le formulaire : {link} dans un nouvel onglet, revenez ici, puis enregistrez deux fois : la première fois, le formulaire apprend seulement la nouvelle connexion.',
} as const;
