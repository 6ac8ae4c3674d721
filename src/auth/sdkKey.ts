/** SDK keys: public keys by which a front end says whose it is. There is no secret in them; they are what the account's id and theirs make. */

const form = /^vgp_([0-9a-hjkmnp-tv-z]{26})_([0-9a-hjkmnp-tv-z]{26})$/

interface SdkKeyParts {
  readonly accountId: string
  readonly keyId: string
}

/** The text that front ends carry: `vgp_`, the account's and the key's id without their prefixes. */
export function sdkKeyText({ accountId, keyId }: SdkKeyParts): string {
  return `vgp_${accountId.slice(4)}_${keyId.slice(4)}`
}

/** The parts of a key's text; undefined when it does not have the form of one. */
export function parseSdkKey(text: string): SdkKeyParts | undefined {
  const [, account, key] = form.exec(text) ?? []
  if (account === undefined || key === undefined) return undefined
  return { accountId: `acc_${account}`, keyId: `sdk_${key}` }
}
