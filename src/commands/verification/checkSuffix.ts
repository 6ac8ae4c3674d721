/** Validates the suffix of an account's messages (`invalid_suffix`, `suffix_not_allowed`). */

import { Failure, type FailureCode } from '../../domain/failure.ts'
import type { AccountState } from '../../events/accounts/account.ts'
import { impersonatesKnownName } from './impersonation.ts'

/** So that a code and its sentence fit into one message in most languages. */
const suffixMax = 40

/** Letters of any script, digits and what stands in the names of companies; begins with a letter or a digit. */
const suffixForm = /^[\p{L}\p{M}\d](?:[\p{L}\p{M}\d &'’.,()+!-]*[\p{L}\p{M}\d.!)])?$/u
const link = /[\p{L}\d]\.[\p{L}\d]|\bwww\b|\bhttps?\b/iu
const otherScript = /(?!\p{Script=Latin})[\p{L}\p{M}]/u

/**
 * The suffix in the form in which it is stored. Throws `custom_suffix_not_enabled`, `invalid_suffix` for a malformed one or one that may be
 * taken for a link, `suffix_script_not_supported` for other than Latin letters, `suffix_not_allowed` for one that imitates another company.
 */
export function checkSuffix(
  given: string,
  { name, custom_suffix }: Pick<AccountState, 'name' | 'custom_suffix'>,
): string {
  if (!custom_suffix) {
    const message = 'Custom suffixes are not enabled on this account.'
    throw new Failure('custom_suffix_not_enabled', message)
  }
  const suffix = given.normalize('NFC')
  if (suffix.length > suffixMax || !suffixForm.test(suffix) || suffix.includes('  ')) {
    const message = `Must be 1 to ${suffixMax} letters, digits, single spaces and &'’.,()+!-, beginning with a letter or a digit.`
    throw suffixFailure('invalid_suffix', message)
  }
  if (link.test(suffix)) {
    throw suffixFailure(
      'invalid_suffix',
      'Must not look like a link: networks block messages with links.',
    )
  }
  if (otherScript.test(suffix)) {
    throw suffixFailure('suffix_script_not_supported', 'Must be in Latin letters.')
  }
  if (impersonatesKnownName(suffix, name)) {
    const message = 'Must not read like another company or a public institution.'
    throw suffixFailure('suffix_not_allowed', message)
  }
  return suffix
}

function suffixFailure(code: FailureCode, message: string): Failure {
  const details = [{ path: 'suffix', message }]
  return new Failure(code, 'The suffix cannot be used; see details.', { param: 'request', details })
}
