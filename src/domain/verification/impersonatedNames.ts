/** Lists names that message suffixes may not imitate, and ordinary words that resemble them. */

/** Matched anywhere in a text, also with other characters between their letters. */
export const namesMatchedAnywhere = words(`
  aliexpress airbnb amazon americanexpress bancosantander bankofamerica barclays binance bitcoin
  bnpparibas bundespolizei capitalone carrefour citibank coinbase correios correos creditagricole
  deutschebank evernote expedia facebook finanzamt gendarmerie goldmansachs google government
  hsbc instagram jpmorgan klarna lapostegroupe linkedin lloydsbank mastercard mercadolibre
  mercadopago metamask microsoft moneygram netflix paypal pinterest polizei poczta revolut
  samsung sberbank servicepublic shopify snapchat socialsecurity societegenerale spotify
  taxoffice tiktok transferwise unicredit urssaf verizon vodafone wellsfargo westernunion
  whatsapp youtube
`)

/** Ordinary words that contain such a name, without accents. */
export const harmlessWords = words(`
  amazonas amazonia amazonian amazonians amazonica amazonico revolucion revolucionaria
  revolucionario revoluciones revolution revolutionaries revolutionary revolutionize revolutions
`)

/** Matched as whole words only: too short, or found by chance across words (kai tunes, often central). */
export const namesMatchedAsWords = words(`
  ameli apple chase court customs deutschepost dgfip dhl dpd ebay europol fbi fedex gls gouv gov
  hmrc icloud impots ing inps interpol irs itunes meta n26 natwest nhs police policia royalmail
  santander ssa steam stripe tencent uber ups usps visa wechat wise
`)

/** Words that forged messages put beside a name. */
const ofMessages = words(`
  account accounts alert alerts app care code codes customer help helpdesk info login notice
  official password secure security service services support team update verification verify
`)

const ofMoney = words('bank card coin crypto exchange trading wallet pay payment')
const ofMail = words('e email mail microsoft office')
const ofStates = words(`
  affairs agriculture defence defense economy education environment finance finances foreign
  government health home immigration interior internal justice labor labour national public state
  tax taxes transport treasury tributaria work
`)

/** Ordinary words that are also names: forged only alone or beside one of these words. */
export const ambiguousNames: readonly {
  readonly name: string
  readonly beside: readonly string[]
}[] = [
  { name: 'alibaba', beside: [...ofMessages, ...ofMoney, 'com', 'express', 'group'] },
  { name: 'blockchain', beside: [...ofMessages, ...ofMoney, 'com'] },
  { name: 'hacienda', beside: [...ofMessages, ...ofStates, 'agencia', 'ministerio', 'publica'] },
  { name: 'kraken', beside: [...ofMessages, ...ofMoney, 'com'] },
  { name: 'ministry', beside: [...ofMessages, ...ofStates] },
  { name: 'outlook', beside: [...ofMessages, ...ofMail, 'com'] },
  { name: 'robinhood', beside: [...ofMessages, ...ofMoney, 'com', 'markets'] },
  { name: 'telegram', beside: [...ofMessages, 'messenger', 'org', 'premium'] },
]

/** The words of a text, separated by white space. */
function words(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}
