/** Opens the lists' part of the service. */

import type { ServiceContext } from '../opening/serviceContext.ts'
import { openAddEntry, openRemoveEntry } from './entryCommands.ts'
import { openEntryHistory } from './entryHistory.ts'
import { openAllEntries, openListEntries } from './entryQueries.ts'
import { openImportEntries } from './importEntries.ts'
import type { ListsPart } from './listsPart.ts'
import { openNamedLists } from './namedLists.ts'

export function openListsPart(context: ServiceContext): ListsPart {
  return {
    lists: openNamedLists(context),
    entries: {
      add: openAddEntry(context),
      remove: openRemoveEntry(context),
      list: openListEntries(context),
      listAll: openAllEntries(context),
      importEntries: openImportEntries(context),
      history: openEntryHistory(context),
    },
  }
}
