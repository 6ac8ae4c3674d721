/** Limits concurrent list imports and long list responses, per account and in total. */

export interface ListShares {
  /** Concurrent responses of whole lists. */
  readonly longAnswers: Shares
  /** Concurrent imports. */
  readonly imports: Shares
}

/** Opens the limits once, shared by all list routes. */
export function openListShares(): ListShares {
  return {
    longAnswers: openShares({ share: 4, total: 32 }),
    imports: openShares({ share: 1, total: 8 }),
  }
}

/** Counts concurrent work against a limit per account and a total limit. */
export interface Shares {
  /** The limit that one more would exceed; undefined when none. */
  readonly refuses: (account: string) => 'share' | 'total' | undefined
  /** Counts one for the account until `giveBack` is called; a second call does nothing. */
  readonly hold: (account: string) => { readonly giveBack: () => void }
}

function openShares({ share, total }: { readonly share: number; readonly total: number }): Shares {
  const held = new Map<string, number>()
  let all = 0
  const add = (account: string, count: 1 | -1): void => {
    const sum = (held.get(account) ?? 0) + count
    all += count
    if (sum === 0) held.delete(account)
    else held.set(account, sum)
  }
  return {
    refuses: (account) => {
      if ((held.get(account) ?? 0) >= share) return 'share'
      return all >= total ? 'total' : undefined
    },
    hold: (account) => {
      let isHeld = true
      add(account, 1)
      return {
        giveBack: () => {
          if (isHeld) add(account, -1)
          isHeld = false
        },
      }
    },
  }
}
