/** Declares the answers of the allow and block list for one evaluation. */

export interface ListAnswer {
  readonly listed: boolean
  /** Position of the log up to which the list was read; absent for an account that never had lists, and for what is only tried. */
  readonly revision?: number
}

export interface ListAnswers {
  readonly allow: ListAnswer
  readonly block: ListAnswer
}
