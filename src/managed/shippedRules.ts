/** Defines the managed rules that ship with the product, with their domain and network lists. */

import type { RuleParameter } from '../events/rulebook/managedRulebook.ts'

/** Domains of disposable email services. */
export const disposableDomains: readonly string[] = `
  10minutemail.com 10minutemail.net 20minutemail.com 33mail.com burnermail.io dispostable.com
  discard.email discardmail.com dropmail.me emailondeck.com fakeinbox.com fakemail.net
  getairmail.com getnada.com grr.la guerrillamail.biz guerrillamail.com guerrillamail.de
  guerrillamail.info guerrillamail.net guerrillamail.org guerrillamailblock.com incognitomail.org
  inboxkitten.com jetable.org mail-temp.com mailcatch.com maildrop.cc mailforspam.com
  mailinator.com mailinator.net mailnesia.com mailnull.com mailsac.com mintemail.com mohmal.com
  moakt.com mytemp.email pokemail.net sharklasers.com spam4.me spambox.us spamgourmet.com
  temp-mail.io temp-mail.org tempail.com tempinbox.com tempmail.dev tempmail.net tempmailo.com
  tempr.email throwawaymail.com trashmail.com trashmail.de trashmail.net trbvm.com yopmail.com
  yopmail.fr yopmail.net
`
  .trim()
  .split(/\s+/)

/** Networks of hosting providers: Amazon, DigitalOcean, Google Cloud, Hetzner, Linode, OVH and Vultr, in this order. */
export const hostingNetworks: readonly string[] = `
  34.192.0.0/10 54.144.0.0/12
  104.131.0.0/16 138.197.0.0/16 159.65.0.0/16 167.99.0.0/16 2604:a880::/32 2a03:b0c0::/32
  34.64.0.0/10 35.192.0.0/12
  5.9.0.0/16 78.46.0.0/15 88.198.0.0/16 144.76.0.0/16 148.251.0.0/16 2a01:4f8::/32
  45.33.0.0/17 139.162.0.0/16 172.104.0.0/15
  51.68.0.0/16 54.36.0.0/16 91.121.0.0/16 149.202.0.0/16 2001:41d0::/32
  45.76.0.0/16 108.61.0.0/16
`
  .trim()
  .split(/\s+/)

/** The key gives the rule its id, so it stays for ever. */
export interface ShippedRule {
  readonly key: string
  readonly name: string
  readonly description: string
  readonly text: string
  readonly parameters?: readonly RuleParameter[]
}

const quoted = (texts: readonly string[]): string =>
  `[${texts.map((text) => JSON.stringify(text)).join(', ')}]`

const targetRules: readonly ShippedRule[] = [
  {
    key: 'allow-list',
    name: 'On the allow list',
    description: 'The phone number stands on the allow list of the account.',
    text: 'list.allow',
  },
  {
    key: 'block-list',
    name: 'On the block list',
    description: 'The phone number stands on the block list of the account.',
    text: 'list.block',
  },
  {
    key: 'disposable-email',
    name: 'Disposable e-mail domain',
    description:
      'The e-mail address is of a service that gives addresses away for minutes, or of a subdomain of it.',
    text: `${quoted(disposableDomains.map((domain) => `.${domain}`))}.exists(domain, ("." + emailDomain(target.email_address)).endsWith(domain))`,
  },
  {
    key: 'plus-address',
    name: 'Address with a plus tag',
    description: 'The e-mail address has a +tag, by which one mailbox can be many users.',
    text: 'target.email_address.matches("^[^@+]+[+]")',
  },
  {
    key: 'digits-in-address',
    name: 'Address full of digits',
    description: 'The e-mail address has five digits or more in a row before the @.',
    text: 'target.email_address.matches("[0-9]{5,}[^@]*@")',
  },
  {
    key: 'foreign-number',
    name: 'Number from outside the home countries',
    description:
      'The phone number belongs to a country that is not one of home_countries; never when there are none.',
    text: 'param.home_countries != "" && !param.home_countries.contains(phoneCountry(target.phone_number))',
    parameters: [{ name: 'home_countries', type: 'STRING' }],
  },
  {
    key: 'blocked-country-number',
    name: 'Number from a blocked country',
    description: 'The phone number belongs to one of blocked_countries.',
    text: 'param.blocked_countries.contains(phoneCountry(target.phone_number))',
    parameters: [{ name: 'blocked_countries', type: 'STRING' }],
  },
]

const deviceRules: readonly ShippedRule[] = [
  {
    key: 'hosting-network',
    name: 'Address of a hosting network',
    description:
      'The IP address is of a large hosting provider, where servers are and people are not.',
    text: `inCidr(signal.ip, ${quoted(hostingNetworks)})`,
  },
  {
    key: 'reserved-network',
    name: 'Address reserved for documentation',
    description: 'The IP address is reserved for documentation: no device on the Internet has it.',
    text: 'inCidr(signal.ip, ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32"])',
  },
  {
    key: 'headless-user-agent',
    name: 'Headless browser',
    description: 'The user agent is of a browser that is driven by a program.',
    text: 'signal.user_agent.matches("(?i)headless|phantomjs|selenium|webdriver|puppeteer|playwright")',
  },
  {
    key: 'script-user-agent',
    name: 'Script in place of a browser',
    description: 'The user agent is of a program that sends requests, not of a browser or app.',
    text: 'signal.user_agent.matches("(?i)^(?:curl|wget|python-|go-http-client|java/|axios|node-fetch|libwww-perl|scrapy)")',
  },
  {
    key: 'emulator-model',
    name: 'Emulated device',
    description: 'The device model is of an emulator or simulator.',
    text: 'signal.device_model.matches("(?i)^(?:sdk_|android sdk|google_sdk|vbox86|x86_64$|i386$)|emulator|simulator|genymotion|bluestacks")',
  },
  {
    key: 'mobile-without-app-version',
    name: 'Mobile device without an app version',
    description: 'The device says it is mobile, and no version of an app arrived with it.',
    text: 'signal.device_platform in ["android", "ios", "ipados", "tvos"] && !has(signal.app_version)',
  },
  {
    key: 'platform-contradiction',
    name: 'Platform and user agent disagree',
    description:
      'The platform is one of Apple and the user agent one of Android, or the other way round.',
    text: 'signal.device_platform in ["ios", "ipados", "tvos"] && signal.user_agent.contains("Android") || signal.device_platform == "android" && signal.user_agent.matches("iPhone|iPad")',
  },
  {
    key: 'unexpected-channel',
    name: 'Not the expected channel',
    description:
      'The channel is app and the platform is web, or the channel is web and the platform is not.',
    text: 'param.channel == "app" && signal.device_platform == "web" || param.channel == "web" && signal.device_platform != "web"',
    parameters: [{ name: 'channel', type: 'STRING' }],
  },
]

const userRules: readonly ShippedRule[] = [
  {
    key: 'new-user',
    name: 'New user',
    description: 'The caller says that the user is new.',
    text: '!signal.existing_user',
  },
  {
    key: 'quiet-hours',
    name: 'In the quiet hours',
    description:
      'The hour, UTC, is from quiet_from on and before quiet_to; the span may pass midnight.',
    text: 'param.quiet_from <= param.quiet_to ? request.time.getHours() >= param.quiet_from && request.time.getHours() < param.quiet_to : request.time.getHours() >= param.quiet_from || request.time.getHours() < param.quiet_to',
    parameters: [
      { name: 'quiet_from', type: 'INT' },
      { name: 'quiet_to', type: 'INT' },
    ],
  },
]

export const shippedRules: readonly ShippedRule[] = [...targetRules, ...deviceRules, ...userRules]
