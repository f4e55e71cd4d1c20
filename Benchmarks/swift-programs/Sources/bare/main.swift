import Memory

// A program that does not link Segue, beside linked.
print(await privateKiB())
