/** Texts of the reference of the API and of the pages of file formats, by language. */

export const englishApiTexts = {
  apiReference: 'Reference of the API',
  apiParameter: 'Parameter',
  apiParameters: 'Parameters',
  apiBodies: 'Bodies and statuses',
  apiStatus: 'Status',
  apiBody: 'Body',
  apiPlace: 'Place and value',
  apiRequestBody: 'Request',
  apiOtherStatuses: 'Other statuses',
  schemaOtherKeys: 'Other keys are kept, and mean nothing to the catalogue.',
  schemaKey: 'Key',
  schemaMeaning: 'Meaning',
  schemaValue: 'Value',
  schemaDefault: 'Default',
} as const;

export const germanApiTexts = {
  apiReference: 'Referenz der API',
  apiParameter: 'Parameter',
  apiParameters: 'Parameter',
  apiBodies: 'Inhalte und Status',
  apiStatus: 'Status',
  apiBody: 'Inhalt',
  apiPlace: 'Ort und Wert',
  apiRequestBody: 'Anfrage',
  apiOtherStatuses: 'Andere Status',
  schemaOtherKeys: 'Andere Schlüssel bleiben erhalten und bedeuten dem Katalog nichts.',
  schemaKey: 'Schlüssel',
  schemaMeaning: 'Bedeutung',
  schemaValue: 'Wert',
  schemaDefault: 'Vorgabe',
} as const;

export const frenchApiTexts = {
  apiReference: 'Référence de l’API',
  apiParameter: 'Paramètre',
  apiParameters: 'Paramètres',
  apiBodies: 'Corps et statuts',
  apiStatus: 'Statut',
  apiBody: 'Corps',
  apiPlace: 'Endroit et valeur',
  apiRequestBody: 'Requête',
  apiOtherStatuses: 'Autres statuts',
  schemaOtherKeys: 'Les autres clés sont gardées, et ne disent rien au catalogue.',
  schemaKey: 'Clé',
  schemaMeaning: 'Sens',
  schemaValue: 'Valeur',
  schemaDefault: 'Défaut',
} as const;
