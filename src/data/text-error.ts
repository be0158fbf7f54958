/** A text of the asker's that can't be what it should be; the message says why, and where it can what would do. */
export class TextError extends Error {}
