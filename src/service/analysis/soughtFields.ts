/** What the documents of the evaluations that are sought have in their fields. */

import { type LookedUp, lookupDigest } from '../../events/recording/lookupDigest.ts'
import type { Keyring } from '../../events/recording/sealing.ts'
import type { EvaluationsSought } from '../../queries/analysis/evaluationSearch.ts'
import type { SearchAsked } from './analysisPart.ts'

type Sought = Pick<
  SearchAsked,
  'flowId' | 'verdict' | 'phoneNumber' | 'emailAddress' | 'ip' | 'deviceId' | 'correlationId'
>

/** Persons by their subjects, everything else that was sent by its keyed digest. */
export function soughtFields(
  keyring: Pick<Keyring, 'subject' | 'digest'>,
  account: string,
  { flowId, verdict, phoneNumber, emailAddress, ...sought }: Sought,
): EvaluationsSought['equal'] {
  const { subject } = keyring
  const digest = (kind: LookedUp['kind'], value: string) =>
    lookupDigest(keyring, account, { kind, value })
  const { ip, deviceId, correlationId } = sought
  return {
    account,
    ...(flowId !== undefined && { flow_id: flowId }),
    ...(verdict !== undefined && { verdict }),
    ...(phoneNumber !== undefined && { phone_digest: subject(account, 'phone', phoneNumber) }),
    ...(emailAddress !== undefined && { email_digest: subject(account, 'email', emailAddress) }),
    ...(ip !== undefined && { ip_digest: digest('ip', ip) }),
    ...(deviceId !== undefined && { device_digest: digest('device_id', deviceId) }),
    ...(correlationId !== undefined && {
      correlation_digest: digest('correlation_id', correlationId),
    }),
  }
}
