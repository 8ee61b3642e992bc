"""Writes to a party in Tryton's own way and commits when a line arrives on standard input."""

import sys

from trytond.config import config

config.update_etc(sys.argv[1])

from trytond.pool import Pool  # noqa: E402
from trytond.transaction import Transaction  # noqa: E402

database, party, name = sys.argv[2], int(sys.argv[3]), sys.argv[4]
Pool.start()
pool = Pool(database)
pool.init()
with Transaction().start(database, 1) as transaction:
    Party = pool.get("party.party")
    Party.write([Party(party)], {"name": name})
    # Written for the database to see, not only kept in memory.
    print("written", flush=True)
    sys.stdin.readline()
    transaction.commit()
print("committed", flush=True)
