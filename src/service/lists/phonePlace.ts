/** Where a number on a list stands in the log and in memory. */

import type { ListPlace } from '../../commands/lists/heldLists.ts'
import type { PhoneList } from '../../domain/phoneLists.ts'
import { phoneListStream } from '../../events/lists/phoneList.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'

interface NumberOn {
  readonly account: string
  readonly list: PhoneList
  /** E.164. */
  readonly phoneNumber: string
}

export interface PhonePlace extends ListPlace {
  /** Made when it is asked for: most numbers are on no list. */
  readonly stream: string
}

/** The place of a number, named by keyed digests alone. */
export function phonePlace(
  { keyring }: Pick<ServiceContext, 'keyring'>,
  { account, list, phoneNumber }: NumberOn,
): PhonePlace {
  const subject = keyring.subject(account, 'phone', phoneNumber)
  return {
    account,
    list,
    subject,
    get stream() {
      const name = JSON.stringify([account, list, subject])
      return phoneListStream(keyring.digest('phone list', name))
    },
  }
}
