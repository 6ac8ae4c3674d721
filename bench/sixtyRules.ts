/**
 * Sixty rules over fifteen signals, such as a shop would have: comparisons of texts and numbers, lists, prefixes, a few
 * patterns.
 */

import {
  all,
  any,
  arrived,
  begins,
  type Condition,
  contains,
  double,
  ends,
  existing,
  int,
  is,
  isNot,
  matches,
  not,
  oneOf,
} from './conditions.ts'

const phone = 'target.phone_number'
const email = 'target.email_address'
const cart = 'signal.ext.cart_total'
const items = 'signal.ext.item_count'
const age = 'signal.ext.account_age_days'
const logins = 'signal.ext.failed_logins'
const shop = 'signal.ext.shop_country'
const card = 'signal.ext.card_country'
const ipCountry = 'signal.ext.ip_country'
const ip = 'signal.ext.ip'
const currency = 'signal.ext.currency'
const payment = 'signal.ext.payment_method'
const coupon = 'signal.ext.coupon'
const agent = 'signal.ext.user_agent'

const disposable = ['@mailinator.com', '@guerrillamail.com', '@yopmail.com'] as const
const risky = ['AF', 'BY', 'CU', 'IR', 'KP', 'MM', 'RU', 'SD', 'SY', 'VE'] as const
const european = ['AT', 'BE', 'DE', 'ES', 'FI', 'FR', 'GR', 'IE', 'IT', 'LU', 'NL', 'PT'] as const

const phoneRules: readonly Condition[] = [
  begins(phone, '+33'),
  begins(phone, '+4915'),
  not(begins(phone, '+1')),
  any(begins(phone, '+7'), begins(phone, '+375')),
  all(begins(phone, '+44'), isNot(shop, 'GB')),
  ends(phone, '0000'),
  contains(phone, '123456'),
  matches(phone, '^\\+3367[0-9]{7}$'),
]

const emailRules: readonly Condition[] = [
  ends(email, '@gmail.com'),
  any(...disposable.map((domain) => ends(email, domain))),
  contains(email, '+'),
  contains(email, 'test'),
  all(begins(email, 'a'), contains(email, '99')),
  matches(email, '[0-9]{5,}@'),
  all(ends(email, '.ru'), oneOf(shop, ...european)),
  oneOf(email, 'abuse@example.com', 'nobody@example.com', 'fraud@example.net'),
]

const cartRules: readonly Condition[] = [
  double(cart, '>', 500),
  double(cart, '>=', 1000),
  double(cart, '<', 1),
  all(double(cart, '>', 250), existing(false)),
  all(double(cart, '>', 100), is(payment, 'gift_card')),
  all(double(cart, '>', 900), int(items, '<=', 1)),
  int(items, '>', 20),
  int(items, '>=', 50),
  all(int(items, '>', 5), is(currency, 'USD')),
  any(int(items, '<', 1), double(cart, '<=', 0)),
  all(is(currency, 'EUR'), not(oneOf(shop, ...european))),
  all(is(currency, 'GBP'), isNot(shop, 'GB')),
]

const accountRules: readonly Condition[] = [
  int(age, '<', 1),
  int(age, '<', 7),
  all(int(age, '<', 30), double(cart, '>', 300)),
  all(int(age, '>', 365), existing(true)),
  all(existing(true), int(age, '<', 1)),
  existing(false),
  int(logins, '>', 3),
  int(logins, '>=', 10),
  all(int(logins, '>', 0), int(age, '<', 2)),
  any(int(logins, '>', 5), double(cart, '>', 2000)),
]

const countryRules: readonly Condition[] = [
  oneOf(ipCountry, ...risky),
  oneOf(card, ...risky),
  all(is(shop, 'FR'), isNot(card, 'FR')),
  all(is(shop, 'DE'), isNot(ipCountry, 'DE')),
  all(oneOf(shop, ...european), not(oneOf(ipCountry, ...european))),
  all(oneOf(card, ...european), oneOf(ipCountry, ...risky)),
  any(is(card, 'XX'), is(ipCountry, 'XX')),
  isNot(card, 'US'),
  all(is(ipCountry, 'US'), is(card, 'US'), begins(phone, '+1')),
  not(oneOf(shop, 'FR', 'DE', 'ES', 'IT', 'GB')),
]

const otherRules: readonly Condition[] = [
  oneOf(payment, 'gift_card', 'prepaid', 'crypto'),
  all(is(payment, 'sepa'), not(oneOf(card, ...european))),
  all(is(payment, 'card'), double(cart, '>', 750), int(age, '<', 3)),
  arrived(coupon),
  is(coupon, 'WELCOME50'),
  all(begins(coupon, 'VIP'), existing(false)),
  begins(ip, '10.'),
  any(begins(ip, '185.220.'), begins(ip, '45.9.'), begins(ip, '193.32.')),
  contains(agent, 'HeadlessChrome'),
  any(contains(agent, 'curl/'), contains(agent, 'python-requests')),
  all(contains(agent, 'Windows NT'), begins(phone, '+86')),
  not(contains(agent, 'Mozilla/5.0')),
]

/** The conditions, in the order in which the recipe has them. */
export const sixtyRules: readonly Condition[] = [
  ...phoneRules,
  ...emailRules,
  ...cartRules,
  ...accountRules,
  ...countryRules,
  ...otherRules,
]
