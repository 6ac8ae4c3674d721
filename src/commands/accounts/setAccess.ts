/** Opens an account, and says what it may use: authoring, management, the trusted-user signal, suffixes, a flow for predictions. */

import { Failure, notFound } from '../../domain/failure.ts'
import type { AccountEvent, AccountState } from '../../events/accounts/account.ts'

export interface AccessInput {
  readonly authoring?: boolean
  readonly management?: boolean
  readonly trusted_user?: boolean
  readonly custom_suffix?: boolean
}

/** The decision: an event for each access that changes; what the input leaves out stays. Throws `not_found`. */
export function setAccess(input: AccessInput) {
  return (state: AccountState): readonly AccountEvent[] => {
    if (!state.opened) throw new Failure('not_found', 'There is no such account.')
    const switches: readonly Switch[] = [
      {
        wanted: input.authoring,
        is: state.authoring,
        on: 'AuthoringEnabled',
        off: 'AuthoringDisabled',
      },
      {
        wanted: input.management,
        is: state.management,
        on: 'ManagementEnabled',
        off: 'ManagementDisabled',
      },
      {
        wanted: input.trusted_user,
        is: state.trustedUser,
        on: 'TrustedUserAgreed',
        off: 'TrustedUserWithdrawn',
      },
      {
        wanted: input.custom_suffix,
        is: state.customSuffix,
        on: 'CustomSuffixEnabled',
        off: 'CustomSuffixDisabled',
      },
    ]
    return switches.flatMap(change)
  }
}

type SwitchType = Exclude<
  Extract<AccountEvent, { readonly data: Record<string, never> }>['type'],
  'PredictionFlowCleared'
>

/** One access: as it is, as it is to be (undefined: as it is), and the events that say so. */
interface Switch {
  readonly wanted: boolean | undefined
  readonly is: boolean
  readonly on: SwitchType
  readonly off: SwitchType
}

function change({ wanted, is, on, off }: Switch): readonly AccountEvent[] {
  if (wanted === undefined || wanted === is) return []
  return [{ type: wanted ? on : off, data: {} }]
}

/** The decision: an account is opened once. */
export function openAccount(input: { readonly accountId: string; readonly name: string }) {
  return (state: AccountState): readonly AccountEvent[] => {
    if (state.opened) throw new Failure('conflict', 'The account is open already.')
    return [{ type: 'AccountOpened', data: { account_id: input.accountId, name: input.name } }]
  }
}

/** The decision: nothing when it is so already; undefined says that none does. Throws `not_found`. */
export function setPredictionFlow(flowId: string | undefined) {
  return (state: AccountState): readonly AccountEvent[] => {
    if (!state.opened) throw notFound()
    if (state.predictionFlow === flowId) return []
    if (flowId === undefined) return [{ type: 'PredictionFlowCleared', data: {} }]
    return [{ type: 'PredictionFlowSet', data: { flow_id: flowId } }]
  }
}
