/** Opens the lists' part of the service. */

import type { ServiceContext } from '../opening/serviceContext.ts'
import { openImportNumbers } from './importNumbers.ts'
import type { ListsPart } from './listsPart.ts'
import { openAddNumber, openRemoveNumber } from './phoneListCommands.ts'
import { openAllNumbers, openListNumbers } from './phoneListQueries.ts'
import { openNumberHistory } from './phoneNumberHistory.ts'

export function openListsPart(context: ServiceContext): ListsPart {
  return {
    phoneNumbers: {
      add: openAddNumber(context),
      remove: openRemoveNumber(context),
      list: openListNumbers(context),
      listAll: openAllNumbers(context),
      importNumbers: openImportNumbers(context),
      history: openNumberHistory(context),
    },
  }
}
