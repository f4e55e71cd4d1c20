"""The widgets. They show rows of the model, and know nothing of the bus."""
