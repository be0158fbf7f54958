/** Encodings of one byte for each character that TextDecoder lacks, or decodes otherwise in some versions of Node. */

/** 0x80 to 0x9F of Windows-1252, as the WHATWG Encoding Standard maps them; Node versions differ in that. */
const windows1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** 0x80 to 0xFF of code pages of DOS, as Unicode's own tables map them. */
const dosCodePages = {
  437:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐' +
    '└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0',
  850:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐' +
    '└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
  852:
    'ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐' +
    '└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u00ad˝˛ˇ˘§÷¸°¨˙űŘř■\u00a0',
};

/** Decodes Windows-1252. */
export const decodeWindows1252 = (bytes: Buffer): string =>
  bytes.toString('latin1').replace(/[\u0080-\u009f]/g, (c) => windows1252[c.charCodeAt(0) - 0x80] as string);

/**
 * A function that decodes texts of an encoding, each by itself. A byte order mark is kept.
 * @param label of the WHATWG Encoding Standard, or `cp437`, `cp850`, `cp852`
 */
export function textDecoderFor(label: string): (bytes: Buffer) => string {
  const page = dosCodePages[Number(/^cp(\d+)$/.exec(label)?.[1]) as keyof typeof dosCodePages];
  if (page)
    return (bytes) =>
      bytes.toString('latin1').replace(/[\u0080-\u00ff]/g, (c) => page[c.charCodeAt(0) - 0x80] as string);
  const decoder = new TextDecoder(label, { ignoreBOM: true });
  return decoder.encoding === 'windows-1252' ? decodeWindows1252 : (bytes) => decoder.decode(bytes);
}
