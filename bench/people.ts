/** The people that are evaluated: made from a number, the same in every run. */

export interface Person {
  readonly phone_number: string
  readonly email_address: string
  readonly existing_user: boolean
  readonly ext: Readonly<Record<string, string>>
}

const countries = ['FR', 'DE', 'GB', 'US', 'ES', 'IT', 'NL', 'RU', 'BR', 'PL']
const prefixes = [
  '+3361',
  '+49151',
  '+4477',
  '+1415',
  '+3461',
  '+3932',
  '+3161',
  '+7916',
  '+55119',
  '+4850',
]
const lengths = [7, 8, 8, 7, 7, 8, 7, 7, 8, 7]
const domains = [
  'gmail.com',
  'example.com',
  'mailinator.com',
  'example.org',
  'mail.ru',
  'example.fr',
]
const currencies = ['EUR', 'USD', 'GBP', 'PLN']
const payments = ['card', 'sepa', 'gift_card', 'paypal', 'prepaid', 'crypto', 'card', 'card']
const coupons = ['WELCOME50', 'VIP2026', 'SPRING', 'NONE']
const agents = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/131.0.0.0 Safari/537.36',
  'curl/8.9.1',
]

/** The person of this number; other numbers give other phone numbers and addresses. */
export function person(number: number): Person {
  const draw = drawing(number)
  const pick = (from: readonly string[]): string => from[draw(from.length)] as string
  const home = number % countries.length
  const digits = String(1_000_000 + (number % 1_000_000)).slice(1)
  const tail = digits.padStart(lengths[home] as number, '2')
  const country = countries[home] as string
  return {
    phone_number: `${prefixes[home]}${tail}`,
    email_address: `ada${number}@${pick(domains)}`,
    existing_user: draw(3) > 0,
    ext: {
      cart_total: `${draw(1_200)}.${10 + draw(90)}`,
      item_count: String(draw(25)),
      account_age_days: String(draw(900)),
      failed_logins: String(draw(8) > 5 ? draw(12) : 0),
      shop_country: draw(4) > 0 ? country : pick(countries),
      card_country: draw(5) > 0 ? country : pick(countries),
      ip_country: draw(5) > 0 ? country : pick(countries),
      ip: `${20 + draw(200)}.${draw(256)}.${draw(256)}.${1 + draw(250)}`,
      currency: pick(currencies),
      payment_method: pick(payments),
      coupon: pick(coupons),
      user_agent: pick(agents),
    },
  }
}

/** So many people, from a number on. */
export function people(count: number, from = 0): readonly Person[] {
  return Array.from({ length: count }, (_, index) => person(from + index))
}

/** Whole numbers below a bound, always the same for a seed (xorshift). */
function drawing(seed: number): (below: number) => number {
  let state = (seed * 2_654_435_761 + 97) >>> 0 || 1
  return (below) => {
    state ^= state << 13
    state >>>= 0
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state % below
  }
}
