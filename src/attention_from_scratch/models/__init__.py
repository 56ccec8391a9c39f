"""The models in Keras. Importing one imports TensorFlow; import them inside functions."""
